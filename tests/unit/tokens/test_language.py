"""The language of a document decides how its words are folded; a question is read by the rules of all of them."""

from __future__ import annotations

import pytest

from withgrain.tokens.language import ALGORITHMS, guess_language, known_language
from withgrain.tokens.terms import query_terms, terms

TEXTS = {
    "en": "The certificate is rotated by the operator when it has expired, and users are not logged out.",
    "de": "Das Zertifikat wird von dem Betreiber erneuert, wenn es abgelaufen ist, und die Nutzer merken es nicht.",
    "fr": "Le certificat est renouvelé par l'opérateur dans les deux jours et les utilisateurs ne sont pas là.",
    "es": "El certificado se renueva por el operador cuando ha caducado, y los usuarios no salen de la red.",
    "it": "Il certificato viene rinnovato dall'operatore quando è scaduto e gli utenti non sono fuori della rete.",
    "pt": "O certificado é renovado por uma pessoa da equipe quando expira e os usuários não são avisados.",
    "nl": "Het certificaat wordt door de beheerder vernieuwd als het is verlopen en gebruikers zien dat niet.",
    "sv": "Certifikatet förnyas av operatören när det har gått ut och användarna är inte utloggade från systemet.",
    "fi": "Varmenne uusitaan kun se on vanhentunut ja käyttäjät eivät ole kirjautuneet ulos mutta niin ei aina ole.",
    "pl": "Certyfikat jest odnawiany przez operatora po upływie terminu i nie są to dane, które można zmienić.",
    "tr": "Sertifika bir operatör için yenilenir ve kullanıcılar çok daha sonra bu sistem ile çıkış yapar.",
    "ru": "Сертификат обновляется оператором, когда истёк срок, и пользователи не выходят из системы.",
    "uk": "Сертифікат оновлюється оператором, коли сплив термін, і користувачі не виходять із системи.",
    "el": "Το πιστοποιητικό ανανεώνεται από τον διαχειριστή όταν λήξει και οι χρήστες δεν αποσυνδέονται.",
    "ar": "يتم تجديد الشهادة من قبل المشغل عند انتهاء صلاحيتها",
    "he": "התעודה מתחדשת על ידי המפעיל כאשר פג תוקפה",
    "hi": "प्रमाणपत्र का नवीनीकरण ऑपरेटर द्वारा किया जाता है",
    "zh": "证书过期后由操作员更新，用户不会被注销。",
    "ja": "証明書の有効期限が切れると、オペレーターが更新します。",
    "ko": "인증서가 만료되면 운영자가 갱신합니다.",
    "th": "ผู้ดูแลระบบจะต่ออายุใบรับรองเมื่อหมดอายุ",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_tells_its_language(language: str) -> None:
    """By its script, or by the commonest words of its language."""
    assert guess_language(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "42 17", "kubectl get pods -n kube-system", "foo_bar(baz); return qux;", "{}[]"])
def test_where_nothing_is_clear_nothing_is_said(text: str) -> None:
    """Code, numbers and names have no language; English rules hold for them."""
    assert guess_language(text) == ""
    assert terms(text, "") == terms(text, "en")


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("pt_BR", "pt"),
        ("German", "de"),
        ("Deutsch", "de"),
        ("nb", "no"),
        ("zh-Hant-TW", "zh"),
        ("klingon", ""),
        ("", ""),
        (None, ""),
        (7, ""),
        (["de"], ""),
    ],
)
def test_metadata_names_a_language(named: object, code: str) -> None:
    """Codes, tags with a region, English and own names; anything else is no language."""
    assert known_language(named) == code


PAIRS = [
    ("de", "Schlüssel", "Schlüsseln"),
    ("de", "Häuser", "Haus"),
    ("de", "Häuser", "Hauser"),
    ("fr", "l'utilisateur", "utilisateurs"),
    ("fr", "développement", "developpements"),
    ("it", "dell'utente", "utenti"),
    ("es", "contraseña", "contrasenas"),
    ("pt", "usuário", "usuarios"),
    ("nl", "gebruiker", "gebruikers"),
    ("sv", "användarna", "användare"),
    ("ru", "пользователь", "пользователями"),
    ("ru", "Ключи", "ключей"),
    ("el", "χρήστης", "ΧΡΗΣΤΕΣ"),
    ("tr", "sertifika", "sertifikalar"),
]


@pytest.mark.parametrize(("language", "one", "other"), PAIRS)
def test_forms_of_a_word_meet(language: str, one: str, other: str) -> None:
    """By the rules of the language, with and without accents; under English rules they would not."""
    assert set(terms(one, language)) & set(terms(other, language))


@pytest.mark.parametrize("language", ["en", *(code for code in ALGORITHMS if code != "en"), "zh", "xx"])
def test_identifiers_are_whole_in_every_language(language: str) -> None:
    """Exact names do not depend on the language of the text around them."""
    names = ["AADSTS50011", "/api/v1/users/{userId}/lifecycle/suspend", "statuskey=1", "@@OKTA:USERS", "ROLE_ADMIN"]
    names += ["kube-apiserver", "--metrics-tls-cert-file", "selfRevoke"]
    for name in names:
        whole = name.casefold().strip("@-") if name.startswith("@@") else name.casefold()
        assert any(whole in term for term in terms(name, language)), name
        assert terms(name, language) and not set(terms(name, language)) - set(query_terms(name, [language]))


def test_unspaced_scripts_give_pairs_in_every_language() -> None:
    """Chinese, Japanese, Korean and Thai words are found by pairs of characters whatever the document's language."""
    for text in ("证书过期", "証明書", "인증서", "ใบรับรอง"):
        assert terms(text, "en") == terms(text, "de") == terms(text, "zh")
        assert all(len(term) == 2 for term in terms(text, "en"))


def test_a_question_is_read_by_the_rules_of_all_languages() -> None:
    """Each word in order, its English form first or that of the first language; no form twice for one word."""
    found = query_terms("running Schlüsseln", ["de"])
    assert found[: len(terms("running", "de"))] == terms("running", "de")
    assert set(terms("Schlüsseln", "de")) <= set(found) and set(terms("running", "en")) <= set(found)
    assert query_terms("users users", []) == terms("users users", "en")
    assert query_terms("users", ["en"]) == terms("users")


def test_a_text_without_end_is_guessed_in_bounded_time() -> None:
    """Only the beginning is looked at."""
    assert guess_language("the of and to in is " * 200_000) == "en"
    assert guess_language("x" * 3_000_000) == ""
