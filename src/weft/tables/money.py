"""Signs and codes of money, before or after a number."""

from __future__ import annotations

import re

_SYMBOLS = "$€£¥₹₩₽₺₴₦₫₱฿₪￥＄￡円元"
# Letters count only as whole words; longer ones come first where one starts another.
_CODES = (
    *("USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "RMB", "INR", "BRL", "MXN"),
    *("SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "TRY", "RUB", "ZAR", "KRW", "SGD", "HKD"),
    *("AED", "SAR", "QAR", "KWD", "EGP", "ILS", "MAD", "TND", "NGN", "KES", "GHS", "THB", "IDR"),
    *("MYR", "PHP", "VND", "TWD", "PKR", "BDT", "LKR", "UAH", "BGN", "ISK", "RSD", "KZT", "GEL"),
    *("ARS", "COP", "CLP", "PEN", "UYU", "US$", "CA$", "AU$", "NZ$", "HK$", "NT$", "S$", "A$"),
    *("C$", "R$", "Rs.", "Rs", "Rp.", "Rp", "RM", "kr.", "kr", "Kč", "zł", "Ft", "Fr.", "лв"),
)
MONEY = rf"(?:[{re.escape(_SYMBOLS)}]|{'|'.join(re.escape(code) for code in _CODES)})"
# "$ -" and "- €", as the accounting style of spreadsheets shows 0.
_NOTHING = re.compile(rf"{MONEY}\s*[-–—]{{1,2}}|[-–—]{{1,2}}\s*{MONEY}")


def is_money(unit: str) -> bool:
    """Return whether a unit is a sign or a code of money."""
    return unit != "" and (unit in _SYMBOLS or unit in _CODES)


def is_no_money(text: str) -> bool:
    """Return whether a text is a 0 of the accounting style, such as "$ -"."""
    return _NOTHING.fullmatch(text) is not None
