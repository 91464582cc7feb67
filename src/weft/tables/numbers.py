"""Numbers as people write them: money, percentages, thousands and decimal signs, units.

A column is read in one way for all its cells: `find_format` looks at all distinct texts together,
because a single "1,234" may be 1234 or 1.234, and only other cells can show which.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.tables.money import MONEY, is_money, is_no_money

# "kg", "m²", "Std.", and one unit per another: "km/h", "l/100km", "kg/m2".
_LETTERS = r"[^\W\d_][^\W\d_/²³.]"
_UNIT = rf"{_LETTERS}{{0,7}}(?:[²³.]|/\d{{0,3}}\s?{_LETTERS}{{0,5}}[²³23]?)?"
_SPACES = "\u0020\u00a0\u202f\u2009\u2007"
_SCALE_WORDS = {
    **dict.fromkeys(("thousand", "Tsd", "tsd"), 1e3),
    **dict.fromkeys(("million", "Million", "Mio", "mio", "mln"), 1e6),
    **dict.fromkeys(("billion", "Billion", "Mrd", "mrd"), 1e9),
}
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "bn": 1e9, **_SCALE_WORDS}
# "*+" never goes back: a long run of spaces is read only once.
_SHAPE = re.compile(
    rf"""(?P<limit>[<>≤≥]=?)?\s*+(?P<open>\()?\s*+
    (?P<sign>[-+−–])?\s*+
    (?P<before>{MONEY})?\s*+
    (?P<inner>[-−–(])?\s*+
    (?P<core>\d[\d.,'’_{_SPACES}]*+|[.,]\d+)
    (?:(?<=[.,])(?:--?|[–—])|/-)?  # "12.-", "12,--" and "12/-": no cents, not a minus sign
    (?P<power>[eE][-+]?\d{{1,3}})?
    \s*+(?P<scale>(?:bn|[kKMB]|{"|".join(_SCALE_WORDS)})(?![A-Za-z])\.?)?
    \s*+(?P<closed>\))?(?:(?<=\d)(?P<behind>[-−])\s+(?={MONEY}))?  # "(5) €" and "5,50- EUR"
    \s*+(?P<after>{MONEY}|[%‰]|(?:[ckm]?m|ft|in)[23]|{_UNIT}|°[CF]?)?
    \s*+(?P<minus>-)?\s*+(?P<close>\))?""",
    re.VERBOSE,
)
# Thousands sign, decimal sign; of those that read a column equally well the first is taken.
_SIGNS = (
    ("", "."),
    ("", ","),
    (",", "."),
    (".", ","),
    (" ", "."),
    (" ", ","),
    ("'", "."),
    ("'", ","),
    ("_", "."),
)
_MANY_GROUPS = 3  # distinct numbers in groups beside shorter ones without a sign


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written.

    Attributes
    ----------
    thousands, decimal : str
        The signs; "" where there is none. A space stands for all kinds of spaces.
    unit : str
        "%", a sign of money, or a unit such as "kg"; "" where nothing says.
    is_money : bool
        Whether the unit is money.
    is_ambiguous : bool
        Whether the other meaning of the signs would read the cells as well.
    """

    thousands: str = ""
    decimal: str = "."
    unit: str = ""
    is_money: bool = False
    is_ambiguous: bool = False

    def read(self, text: str) -> float:
        """Return the number, NaN if `text` is not one in this format; "<0.5" is 0.5."""
        shape = _shape(text)
        if shape is None:
            return 0.0 if self.is_money and is_no_money(text.strip()) else math.nan
        if not self._takes_unit(shape):
            return math.nan
        number = _number(shape["core"], self.thousands, self.decimal, shape["power"] or "")
        if math.isnan(number):
            return number
        if shape["scale"] is not None:
            number *= _SCALES[shape["scale"].rstrip(".")]
        if shape["after"] == "%":
            number /= 100.0
        elif shape["after"] == "‰":
            number /= 1000.0
        elif self.unit == "%" and number != 0.0:
            return math.nan  # "35" among percentages may be 35 % or 3500 %
        return -number if _is_negative(shape) else number

    def read_all(self, texts: Sequence[str]) -> list[float]:
        """Return the numbers of many texts: `read`, with a short cut for the usual form."""
        sign = re.escape(self.thousands)
        whole = rf"(?:\d{{1,3}}(?:{sign}\d{{3}})+|\d+)" if sign else r"\d+"
        usual = re.compile(rf"-?{whole}(?:{re.escape(self.decimal)}\d+)?")
        unit = self.unit if self.is_money else ""
        out = []
        for text in texts:
            bare = text
            if unit:
                at_start = text.startswith(unit)
                bare = (text.removeprefix(unit) if at_start else text.removesuffix(unit)).strip()
            # "0,123" has no thousands: this and all rarer forms are left to `read`.
            is_usual = usual.fullmatch(bare) is not None and self.unit != "%"
            if is_usual and bare.isascii() and bare.lstrip("-")[:1] != "0":
                plain = bare.replace(self.thousands, "") if self.thousands else bare
                out.append(
                    float(plain if self.decimal == "." else plain.replace(self.decimal, "."))
                )
            else:
                out.append(self.read(text))
        return out

    def _takes_unit(self, shape: re.Match[str]) -> bool:
        unit = shape["before"] or shape["after"] or ""
        if not unit or unit in "%‰":
            return True
        if self.is_money:
            return is_money(unit)
        return unit == self.unit

    @property
    def words(self) -> str:
        """What was recognised, for people; "" for plain numbers."""
        said = []
        if self.is_money:
            said.append(f"money in {self.unit}")
        elif self.unit == "%":
            said.append("percentages, 0.2 for 20 %")
        elif self.unit:
            said.append(f"numbers in {self.unit}")
        if self.thousands:
            name = "space" if self.thousands == " " else repr(self.thousands)
            said.append(f"thousands by {name}")
        if self.decimal != ".":
            said.append(f"decimals by {self.decimal!r}")
        if self.is_ambiguous:
            other = "decimal" if self.thousands else "thousands"
            sign = self.thousands or self.decimal
            said.append(f"{sign!r} could be a {other} sign too")
        return ", ".join(said)


PLAIN_NUMBERS = NumberFormat()


def find_format(texts: Sequence[str], *, hint: tuple[str, str] | None = None) -> NumberFormat:
    """Return the format that reads most of `texts`.

    Parameters
    ----------
    texts : sequence of str
        The distinct cells of a column.
    hint : tuple of str, optional
        Thousands and decimal sign that other columns of the table have, for cells that two
        formats can read.
    """
    shapes = [shape for shape in map(_shape, texts) if shape is not None]
    unit, money = _unit(shapes)
    order: Sequence[tuple[str, str]] = _SIGNS
    if hint is not None:  # the other columns settle the decimal sign more than that of thousands
        order = (hint, *sorted(_SIGNS, key=lambda signs: signs[1] != hint[1]))
    cores = [(shape["core"], shape["power"] or "") for shape in shapes]
    counts = [sum(not math.isnan(_number(c, *signs, p)) for c, p in cores) for signs in order]
    best = max(counts, default=0)
    if best == 0:
        return NumberFormat(unit=unit, is_money=money)
    signs = order[counts.index(best)]
    # "1,234" and "1.234" in every cell: the decimal reading competes with the thousands.
    if signs[0] in ("", ",", ".") and any("," in core or "." in core for core, _ in cores):
        fitting = [pair for pair, count in zip(order, counts, strict=True) if count == best]
        values = {tuple(_number(c, *pair, p) for c, p in cores) for pair in fitting}
        bare = [core for core, _ in cores]
        # Groups of exactly three digits after a comma are thousands, as in "1,234".
        if ("", ",") in fitting and (",", ".") in fitting:
            if hint is None or _are_groups(bare, ",", money):
                return NumberFormat(",", ".", unit, money, is_ambiguous=True)
        # So are those after a point in amounts such as "58.019 €"; "1.459 €" is a price.
        elif len(values) > 1 and hint is None:
            if (".", ",") in fitting and _are_groups(bare, ".", money):
                signs = (".", ",")
            return NumberFormat(*signs, unit, money, is_ambiguous=True)
    return NumberFormat(*signs, unit, money)


def _are_groups(cores: Sequence[str], sign: str, money: bool) -> bool:
    """Return whether `sign` before three digits separates thousands, not decimals.

    In amounts of money it does if a number has two digits or more before it. In any column it does
    if "950" occurs next to "1.234" and others: decimals without zeros would not all be three.
    """
    plain = [core for core in map(str.rstrip, cores) if sign not in core and core != "0"]
    if plain and all(len(core) <= 3 for core in plain) and len(cores) - len(plain) >= _MANY_GROUPS:
        return True
    return money and any(len(core.split(sign, 1)[0]) >= 2 for core in cores if sign in core)


def settled_signs(texts: Iterable[str]) -> tuple[str, str] | None:
    """Return thousands and decimal sign where the cells of a column leave no doubt."""
    found = find_format(list(texts))
    if found.is_ambiguous or (not found.thousands and found.decimal == "."):
        return None
    return found.thousands, found.decimal


def money_signs(texts: Iterable[str]) -> list[str]:
    """Return the signs of money that some texts have, in the order of their first text."""
    shapes = [shape for shape in map(_shape, texts) if shape is not None]
    units = (shape["before"] or shape["after"] or "" for shape in shapes)
    return list(dict.fromkeys(unit for unit in units if is_money(unit)))


def is_number_text(text: str) -> bool:
    """Return whether a text is a number in some format, with or without a unit."""
    return not math.isnan(find_format([text]).read(text))


def scaled_texts(texts: Iterable[str]) -> list[str]:
    """Return the texts that count in thousands, millions or billions, such as "120k"."""
    shapes = ((text, _shape(text)) for text in texts)
    return [text for text, shape in shapes if shape is not None and shape["scale"] is not None]


def _shape(text: str) -> re.Match[str] | None:
    if not text.isascii():
        # Not the raised 2 of "m²", which is a digit to Unicode as well.
        text = "".join(str(unicodedata.decimal(s)) if s.isdecimal() else s for s in text)
    shape = _SHAPE.fullmatch(text.strip())
    if shape is None or not _closes(shape):
        return None
    if shape["before"] is not None and shape["after"] is not None:
        in_letters = shape["after"].isalpha() and not shape["before"].isalpha()
        if not (in_letters and is_money(shape["after"])):  # "$12.50 USD"
            return None
    if shape["sign"] is not None and shape["inner"] is not None:
        return None
    in_letters = shape["scale"] is not None and shape["scale"].rstrip(".") not in _SCALE_WORDS
    if in_letters and not (shape["before"] or is_money(shape["after"] or "")):
        # "5M" may be metres, millions or a size; "5k" and "1.2M" are none of these.
        has_fraction = "." in shape["core"] or "," in shape["core"]
        if shape["after"] or not (shape["scale"] in "kK" or has_fraction):
            return None
    return shape


def _closes(shape: re.Match[str]) -> bool:
    """Return whether there is one bracket on each side, or none: "(5)", "$(5)", "(5) €"."""
    opened = (shape["open"] is not None) + (shape["inner"] == "(")
    closed = (shape["closed"] is not None) + (shape["close"] is not None)
    return opened == closed <= 1


def _is_negative(shape: re.Match[str]) -> bool:
    signs = (shape["sign"] in ("-", "−", "–"), shape["inner"] is not None)
    behind = shape["minus"] is not None or shape["behind"] is not None
    return any((*signs, behind, shape["open"] is not None))


def _unit(shapes: Sequence[re.Match[str]]) -> tuple[str, bool]:
    """Return the unit of a column, and whether it is money."""
    units = [shape["before"] or shape["after"] or "" for shape in shapes]
    named = [unit for unit in units if unit]
    if not named:
        return "", False
    most = max(dict.fromkeys(named), key=named.count)
    if is_money(most):
        return most, True
    return ("%" if most == "‰" else most), False


def _number(core: str, thousands: str, decimal: str, power: str) -> float:
    """Return `core` as a number with these separators; NaN if it does not match them."""
    whole, mark, fraction = core.rstrip().partition(decimal)
    if mark and not (fraction.isascii() and (fraction.isdigit() or fraction == "")):
        return math.nan
    if thousands and not (whole.isascii() and whole.isdigit()):
        if power:
            return math.nan  # "1,234E+02" has a decimal sign
        for sign in _SPACES if thousands == " " else "'’" if thousands == "'" else thousands:
            whole = whole.replace(sign, "\x00")
        head, *groups = whole.split("\x00")
        # The last group has three digits; those before it three, or two as in India.
        if not groups or len(groups[-1]) != 3 or not 1 <= len(head) <= 3 or head[0] == "0":
            return math.nan
        sizes = {len(group) for group in groups[:-1]}
        if not (sizes <= {3} or (sizes <= {2} and len(head) <= 2 and thousands == ",")):
            return math.nan
        whole = head + "".join(groups)
    if not (whole.isascii() and (whole.isdigit() or (whole == "" and fraction))):
        return math.nan
    return float(f"{whole or '0'}.{fraction or '0'}{power}")
