"""Names of months in some languages: English, German, French, Spanish, Italian, Portuguese, Dutch.

No name stands for different months in two of them.
"""

from __future__ import annotations

import unicodedata

# One line per month, without accents; a name of its first letters is listed where it is in use.
_MONTHS = (
    "jan january januar janner janvier janv enero ene gennaio gen janeiro januari",
    "feb february februar fevrier fevr febrero febbraio fevereiro fev februari",
    "mar march marz maerz mrz mars marzo marco maart mrt",
    "apr april avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "jun june juni juin junio giugno giu junho",
    "jul july juli juillet juil julio luglio lug julho",
    "aug august aout agosto ago augustus",
    "sep september sept septembre septiembre settembre set setembro",
    "oct october oktober okt octobre octubre ottobre ott outubro out",
    "nov november novembre noviembre novembro",
    "dec december dezember dez decembre diciembre dic dicembre dezembro",
)
_POSITIONS = {name: month for month, names in enumerate(_MONTHS) for name in names.split()}


def month_name(text: str) -> int:
    """Return 0 for January to 11 for December, -1 where `text` is not a month."""
    word = text.strip().rstrip(".").lower()
    if not word.isascii():
        parts = unicodedata.normalize("NFKD", word)
        word = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return _POSITIONS.get(word, -1)
