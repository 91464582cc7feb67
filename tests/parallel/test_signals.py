"""The first signal is recorded, the second has its usual effect."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from weft.parallel import signals
from weft.parallel.signals import Signals, ignore_ctrl_c


@pytest.fixture(autouse=True)
def usual_handlers():
    before = {number: signal.getsignal(number) for number in signals._DEFAULTS}
    for number, handler in signals._DEFAULTS.items():
        signal.signal(number, handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("number", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")]
)
def test_the_first_signal_is_recorded(number, name):
    heard = Signals()
    assert (heard.received, heard.name) == (None, "a signal")
    with heard:
        assert heard.received is None
        os.kill(os.getpid(), number)
        assert (heard.received, heard.name) == (number, name)
        assert signal.getsignal(number) == heard._hear
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert heard.received == number


def test_the_second_ctrl_c_ends():
    def send_both():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(5.0)  # the interrupt comes at the next instruction

    with Signals() as heard, pytest.raises(KeyboardInterrupt):
        send_both()
    assert heard.received == signal.SIGTERM


def test_nothing_changes_if_not_asked_or_if_the_program_has_its_own_handler():
    with Signals(listens=False):
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Signals() as heard:
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) == heard._hear
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def test_another_thread_changes_no_handler():
    seen = []

    def work():
        with Signals():
            seen.append(signal.getsignal(signal.SIGINT))
        ignore_ctrl_c()
        seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler] * 2
    ignore_ctrl_c()
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
