"""Programs of the long checks are ended when they hang, and not because the machine is busy."""

from __future__ import annotations

import subprocess
import sys

import pytest
from checks.apart import COUNTED, run_program, session_seconds

pytestmark = pytest.mark.skipif(not COUNTED, reason="needs /proc")


def _python(code, *arguments):
    return [sys.executable, "-S", "-c", code, *arguments]


def test_the_output_and_the_code_of_a_program():
    code = "import sys; print('out' * 100_000); print('err', file=sys.stderr); sys.exit(3)"
    done = run_program(_python(code), 60.0)
    assert (done.returncode, done.stdout, done.stderr) == (3, "out" * 100_000 + "\n", "err\n")


def test_waiting_is_not_working():
    # Far more time passes than the program may use: it sleeps.
    done = run_program(_python("import time; time.sleep(2); print('done')"), 1.0)
    assert done.stdout == "done\n"


def test_the_environment_is_the_given_one():
    code = "import os; print(os.environ['OF_A_TEST'])"
    assert run_program(_python(code), 60.0, environment={"OF_A_TEST": "x"}).stdout == "x\n"


@pytest.mark.parametrize("where", ["itself", "a process of it"])
def test_a_program_that_works_for_ever_is_ended(where):
    loop = "while True: pass"
    started = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {loop!r}])"
    with pytest.raises(subprocess.TimeoutExpired):
        run_program(_python(loop if where == "itself" else started), 0.5)


def test_a_program_that_does_nothing_is_ended_with_its_processes(tmp_path):
    sleep = "import time; time.sleep(600)"
    told = tmp_path / "process"
    started = (
        "import subprocess, sys; "
        f"one = subprocess.Popen([sys.executable, '-S', '-c', {sleep!r}]); "
        f"open({str(told)!r}, 'w').write(str(one.pid)); one.wait()"
    )
    with pytest.raises(subprocess.TimeoutExpired):
        run_program(_python(started), 60.0, still=3.0)
    # Its process is gone, or a zombie that nobody has waited for.
    try:
        with open(f"/proc/{told.read_text()}/stat") as file:
            assert file.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        pass


def test_the_time_of_a_session_is_that_of_its_processes():
    code = "import time\nwhile time.process_time() < 0.5: pass\nprint('x', flush=True); input()"
    command = _python(code)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as program:
        program.stdout.readline()
        assert 0.4 < session_seconds(program.pid) < 5.0
        program.communicate(b"\n")
    assert session_seconds(program.pid) == 0.0
