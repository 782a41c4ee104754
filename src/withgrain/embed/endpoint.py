"""What must be known about a server of embeddings: where it is, and what its model reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from ipaddress import ip_address
from urllib.parse import urlsplit

from withgrain.errors import ConfigError

#: In front of the names of the fields, in upper case, in the environment.
PREFIX = "WITHGRAIN_OPENAI_"
#: Variables with the key, the first that is set counts. There is no other place for it.
KEY_VARIABLES = ("WITHGRAIN_OPENAI_API_KEY", "OPENAI_API_KEY")
#: Variables with the address, for programs that give no `Endpoint`.
ADDRESS_VARIABLES = ("WITHGRAIN_OPENAI_BASE_URL", "OPENAI_BASE_URL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A server that has ``POST /v1/embeddings`` as OpenAI defines it, and the model behind it.

    Attributes:
        base_url: Address up to ``/v1``. There is no default: nothing is sent anywhere unless the user said where.
        window: Tokens that the model reads, without its special tokens. No longer text is ever sent.
        tokenizer: Whose tokens ``window`` counts: a name for `withgrain.tokens.load_tokenizer`.
        dimensions: Ask the model for vectors of this length; None for its own.
        document_prefix: Stands in front of each text ("passage: ").
        query_prefix: Stands in front of a question ("query: ").
        revision: What the user calls the weights. A server may change them behind a name; who changes this text gets
            new vectors.
        batch: Texts a request at most.
        timeout: Seconds that one request may take.
    """

    base_url: str = ""
    window: int = 254
    tokenizer: str = "wordpiece"
    dimensions: int | None = None
    document_prefix: str = ""
    query_prefix: str = ""
    revision: str = ""
    batch: int = 32
    timeout: int = 60

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Endpoint:
        """Return the endpoint that the variables ``WITHGRAIN_OPENAI_…`` describe; the address may be in OpenAI's own.

        Raises:
            ConfigError: A number is none.
        """
        given = os.environ if environment is None else environment
        values: dict[str, str | int] = {}
        for field in fields(cls):
            name = f"{PREFIX}{field.name.upper()}"
            text = given.get(name, "")
            if text and "int" in str(field.type):
                if not text.isdecimal() or int(text) < 1:
                    raise ConfigError(f"The environment variable {name} is {text!r}; it must be a number above 0.")
                values[field.name] = int(text)
            elif text:
                values[field.name] = text
        return cls(**values)  # type: ignore[arg-type]  # each value has the type of its field

    def address(self, environment: Mapping[str, str] | None = None) -> str:
        """Return the address to post to.

        Raises:
            ConfigError: There is none, or it is no address, or it holds a user, a password or a query.
        """
        given = os.environ if environment is None else environment
        base = self.base_url or next((given[name] for name in ADDRESS_VARIABLES if given.get(name)), "")
        if not base:
            raise ConfigError(
                "An openai: embedder needs the address of its server. Set WITHGRAIN_OPENAI_BASE_URL, for example to "
                "http://localhost:11434/v1 (Ollama) or https://api.openai.com/v1."
            )
        try:
            parts = urlsplit(base)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or "@" in base or parts.query or parts.fragment or any(c <= " " or c > "~" for c in base):
            raise ConfigError(
                "The base url of the openai: embedder must be http(s)://HOST[:PORT][/PATH], without user, password, "
                "query or spaces. Give the key in WITHGRAIN_OPENAI_API_KEY."
            )
        path = parts.path.rstrip("/").removesuffix("/embeddings") or "/v1"
        return f"{parts.scheme}://{parts.netloc}{path}/embeddings"


def is_loopback(address: str) -> bool:
    """Return whether an address is on this machine."""
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def key_for(address: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the key for a server, "" where there is none.

    ``OPENAI_API_KEY`` is meant for another program: it is not sent in clear text over a network.
    """
    given = os.environ if environment is None else environment
    own, foreign = (given.get(name, "").strip() for name in KEY_VARIABLES)
    return own or (foreign if address.startswith("https:") or is_loopback(address) else "")
