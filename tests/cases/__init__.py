"""The handed cases: small tricky inputs with machine-checkable expectations."""
