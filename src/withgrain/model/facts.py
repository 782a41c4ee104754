"""The small machine-readable things that a text states: what exact search and filters work on."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts found in a chunk's body and headings. Every field is a tuple of distinct strings in order of appearance.

    Attributes:
        markers: ``@@DOMAIN:SECTION``, own or inherited from the nearest enclosing scope.
        domain: The domain of the markers, else of the document.
        operations: Canonical verbs ("disable" for suspend, deactivate …).
        entities: Canonical nouns ("user", "group", "role" …).
        api_method: HTTP methods that stand before a path.
        api_endpoint: HTTP paths.
        codes: Error and status codes.
        keys: Schema keys and ``key=value`` pairs.
        roles: Role identifiers such as ``ROLE_ADMIN``.
        auth: Authentication terms (oauth2, saml …).
        flags: Command-line flags.
        environment: Environment variables.
        versions: Version numbers.
        links: Targets of links.
        inferred_markers: A marker made from path and headings where no author has put one in scope. Metadata only: no
            identifier, no quality, and never in a text that is embedded.
    """

    markers: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    api_method: tuple[str, ...] = ()
    api_endpoint: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    auth: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    inferred_markers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether any fact was found."""
        return any(getattr(self, f.name) for f in fields(self) if f.name != "inferred_markers")

    def identifiers(self) -> tuple[str, ...]:
        """Return the literal identifiers: markers, endpoints, codes, keys, roles, flags, variables."""
        found = (
            *self.markers,
            *self.api_endpoint,
            *self.codes,
            *self.keys,
            *self.roles,
            *self.flags,
            *self.environment,
        )
        return tuple(dict.fromkeys(found))
