"""Units, currencies and number words."""

from __future__ import annotations

# dimension, factor, spellings. Months are no days: a calendar decides how long one is.
_TABLE = """
time 0.001 ms msec millisecond milliseconds
time 0.000001 μs µs microsecond microseconds
time 1 s sec secs second seconds
time 60 min mins minute minutes
time 3600 h hr hrs hour hours
time 86400 d day days
nights 1 night nights
time 604800 week weeks wk wks
time 1209600 fortnight fortnights
months 1 month months mo mos
months 3 quarter quarters
months 12 year years yr yrs
months 120 decade decades
workdays 1 workday workdays weekday weekdays
bytes 1 byte bytes
bytes 1e3 kb kilobyte kilobytes
bytes 1e6 mb megabyte megabytes
bytes 1e9 gb gigabyte gigabytes gig gigs
bytes 1e12 tb terabyte terabytes
bytes 1e15 pb petabyte petabytes
bytes 1024 kib kibibyte kibibytes
bytes 1048576 mib mebibyte mebibytes
bytes 1073741824 gib gibibyte gibibytes
bytes 1099511627776 tib tebibyte tebibytes
bits 1 bit bits
bits 1e3 kbit kilobit kilobits
bits 1e6 mbit megabit megabits
bits 1e9 gbit gigabit gigabits
bitrate 1e3 kbps
bitrate 1e6 mbps
bitrate 1e9 gbps
length 1e-9 nm nanometre nanometres nanometer nanometers
length 1e-6 μm µm micron microns micrometre micrometres micrometer micrometers
length 0.001 mm millimetre millimetres millimeter millimeters
length 0.01 cm centimetre centimetres centimeter centimeters
length 1 m metre metres meter meters
length 1000 km kilometre kilometres kilometer kilometers
length 0.0254 inch inches
length 0.3048 ft foot feet
length 0.9144 yd yard yards
length 1609.344 mi mile miles
mass 1e-9 μg µg mcg microgram micrograms
mass 1e-6 mg milligram milligrams milligramme milligrammes
mass 0.001 g gram grams gramme grammes
mass 1 kg kilo kilos kilogram kilograms kilogramme kilogrammes
mass 1000 t tonne tonnes
mass 907.18474 ton tons
mass 0.45359237 lb lbs pound pounds
mass 0.028349523125 oz ounce ounces
volume 0.001 ml millilitre millilitres milliliter milliliters
volume 0.01 cl centilitre centilitres
volume 1 l litre litres liter liters
volume 3.785411784 gal gallon gallons
area 10000 ha hectare hectares
area 4046.8564224 acre acres
area 1 m² sqm
area 1000000 km²
volume 1000 m³
frequency 1 hz hertz
frequency 1e3 khz kilohertz
frequency 1e6 mhz megahertz
frequency 1e9 ghz gigahertz
power 0.001 mw milliwatt milliwatts
power 1 w watt watts
power 1e3 kw kilowatt kilowatts
energy 1 wh
energy 1e3 kwh
joule 1 j joule joules
joule 1e3 kj kilojoule kilojoules
calorie 1 cal calorie calories
calorie 1e3 kcal kilocalorie kilocalories
charge 1 mah
charge 1e3 ah
voltage 1 v volt volts
voltage 1e3 kv kilovolt kilovolts
current 1 amp amps ampere amperes
current 0.001 ma milliamp milliamps
pressure 1e5 bar bars
pressure 1 pa
pressure 1e3 kpa
pressure 6894.757 psi
sound 1 db decibel decibels
rotation 1 rpm
pixels 1 px pixel pixels
pixels 1e6 megapixel megapixels mp
dots 1 dpi
frames 1 fps
speed 1 kph kmh
speed 1.609344 mph
percent 1 percent pct percents
percent 0.01 bps
"""
UNITS: dict[str, tuple[str, float]] = {
    name: (dimension, float(factor))
    for dimension, factor, *names in map(str.split, _TABLE.strip().splitlines())
    for name in names
}
SINGLE_LETTER_MEANS_MORE = {"m": (("length", 1.0), ("time", 60.0))}
DURATIONS = frozenset(["time", "months", "workdays"])

CURRENCY_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB",
                  "₩": "KRW"}  # fmt: skip
# word → the currencies it may mean, with the share of the main unit
_CURRENCIES = """
1 USD usd dollar dollars bucks
1 EUR eur euro euros
1 GBP gbp pound pounds quid sterling
1 JPY jpy yen
1 INR inr rupee rupees
1 CHF chf franc francs sfr
1 CAD cad
1 AUD aud
1 NZD nzd
1 SEK sek
1 NOK nok
1 DKK dkk
1 PLN pln zloty
1 CNY cny rmb yuan renminbi
1 BRL brl
1 MXN mxn
1 SGD sgd
1 HKD hkd
1 ZAR zar rand
1 CZK czk
1 HUF huf
1 KRW krw won
"""
CURRENCIES: dict[str, tuple[tuple[str, float], ...]] = {
    name: ((code, float(share)),)
    for share, code, *names in map(str.split, _CURRENCIES.strip().splitlines())
    for name in names
}
CURRENCIES["cent"] = CURRENCIES["cents"] = (("USD", 0.01), ("EUR", 0.01))
CURRENCIES["pence"] = CURRENCIES["penny"] = (("GBP", 0.01),)
CURRENCIES["krona"] = CURRENCIES["kronor"] = (("SEK", 1.0),)
CURRENCIES["krone"] = CURRENCIES["kroner"] = (("NOK", 1.0), ("DKK", 1.0))
CURRENCIES["crowns"] = (("SEK", 1.0), ("NOK", 1.0), ("DKK", 1.0), ("CZK", 1.0))
# Words before a currency's name that do not change which one is meant (or say which dollar it is).
CURRENCY_NATIONS = {
    "us": "USD",
    "american": "USD",
    "canadian": "CAD",
    "australian": "AUD",
    "swiss": "CHF",
    "british": "GBP",
    "japanese": "JPY",
    "indian": "INR",
}
DOLLAR_PREFIXES = {"us": "USD", "c": "CAD", "ca": "CAD", "a": "AUD", "au": "AUD", "nz": "NZD",
                   "s": "SGD", "hk": "HKD", "r": "BRL", "mx": "MXN"}  # fmt: skip

SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9,
          "trillion": 1e12, "k": 1e3, "mn": 1e6, "mio": 1e6, "mln": 1e6, "bn": 1e9,
          "thousands": 1e3, "billions": 1e9, "tsd": 1e3}  # fmt: skip
UNIT_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
}
TENS_WORDS = {
    word: 10 * (value + 2)
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())
}
ORDINAL_WORDS = {
    word: value + 3
    for value, word in enumerate(
        "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
    )
}
PERIODS = {
    "second": "second", "sec": "second", "s": "second", "minute": "minute", "min": "minute",
    "hour": "hour", "hr": "hour", "h": "hour", "hourly": "hour", "day": "day", "daily": "day",
    "week": "week", "weekly": "week", "month": "month", "mo": "month", "monthly": "month",
    "quarter": "quarter", "quarterly": "quarter", "year": "year", "yr": "year",
    "yearly": "year", "annual": "year", "annually": "year", "annum": "year", "night": "night",
    "fortnight": "fortnight", "fortnightly": "fortnight",
}  # fmt: skip
SHARES = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5,
          "tenth": 10, "tenths": 10}  # fmt: skip
FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125}
