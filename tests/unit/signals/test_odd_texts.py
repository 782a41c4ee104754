"""What looks like a fact and is none, by family: found in real corpora, kept as kinds."""

from __future__ import annotations

import pytest

from withgrain.signals import detect

NOTHING = [
    "Our B2B SaaS grew in Q3 2024 with GPT-4, MI5 and F16 jets; room A-101; ISO-27001; the COVID-19 wave; A4 paper.",
    "Call 555-0199 or +1-800-555-0100 before 12/05/2024; the version of the truth; he POSTs letters; U.S. GAAP.",
    "E = mc2, f(x)=3, MONEY, WHISKEY, the KEY; --- -- - -1; C-3PO and R2-D2 drank H2O2.",
    "It rose to $US 120 million ($M 526), $USD 14; take US-101 past the IBM-370 museum.",
    "| Filing status | 2019 |\n|---|---|\n| 503 | 100 |\n\nTheir status changed.",
    "Article IV.2(b) refers to Section 4.2.1 and Exhibit 10.14; see 17 CFR 240.12b-2; $12,500.00; 30% of 404 rows.",
    "Email a.b@c.org, the U.K. office, e.g. etc/hosts lists, and/or TCP/IP, 24/7, km/h, n/a.",
    "The list of users is long; get well soon.",
    "Monkey: 5, Public key: RSA, a key: 4; the error 2019-05 of 12,345 rows; errors 12345 rows; %20 and %E2%80%94.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_prose_has_no_identifiers(text: str) -> None:
    """False positives make exact search and atomic facts useless: prose, money, standards, tables of figures."""
    found = detect(text)
    assert found.identifiers() == ()
    assert found.versions == ()


SOMETHING = [
    ("| Status | Meaning |\n|---|---|\n| 404 | gone |\n", "codes", "404"),
    ("| HTTP status | x |\n|---|---|\n| `503` | y |\n", "codes", "503"),
    ("echo $USERNAME", "environment", "USERNAME"),
    ("AADSTS50011, E0000001 and ORA-12545", "codes", "ORA-12545"),
    ("@@OKTA:USERS_2", "markers", "@@OKTA:USERS_2"),
    ("where statuskey=1", "keys", "statuskey=1"),
    ("needs ROLE_ADMIN", "roles", "ROLE_ADMIN"),
    ("send a bearer token", "auth", "bearer"),
    ("run with --dry-run=server", "flags", "--dry-run"),
    ("PATCH https://example.com/api/v1/users/{id}?x=1", "api_endpoint", "/api/v1/users/{id}"),
    ("since v1.24.0-rc.1", "versions", "v1.24.0-rc.1"),
    ("SELECT u.USERKEY FROM users u JOIN accounts a ON a.USERKEY = u.USERKEY", "keys", "USERKEY"),
    ("WHERE u.statuskey = 1 AND x", "keys", "statuskey"),
    ("WHERE a.STATUSKEY = 'CLOSED'", "keys", "STATUSKEY"),
    ("statuskey : 1 means active", "keys", "statuskey"),
    ("エラーコードAADSTS50057を確認してstatuskey=3にする", "codes", "AADSTS50057"),
    ("エラーコードAADSTS50057を確認してstatuskey=3にする", "keys", "statuskey=3"),
    ("오류 ORA-12545가 발생", "codes", "ORA-12545"),
    ("$env:AZURE_TENANT_ID = 'x'", "environment", "AZURE_TENANT_ID"),
    ("set PATH=%JAVA_HOME%/bin", "environment", "JAVA_HOME"),
    ("ends with error 1603", "codes", "1603"),
    ("ERROR 1045 (28000): Access denied", "codes", "1045"),
    ("Event ID 4740 is logged", "codes", "4740"),
]


@pytest.mark.parametrize(("text", "field", "value"), SOMETHING)
def test_every_family_finds_its_own(text: str, field: str, value: str) -> None:
    """One of each family of the issue."""
    assert value in getattr(detect(text), field)
