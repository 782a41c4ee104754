"""A server for agents: Model Context Protocol over collections, read-only, every answer bounded and cited.

`serving` binds the tools of `tools` to the official SDK (the extra ``mcp``). Everything between a call's arguments and
its answer is ours and needs no SDK: `sanitise` and `suspect` treat retrieved text as the untrusted data that it is,
`page` delimits it, `budget` keeps an answer below its ``max_tokens``.
"""
