"""Document -> chunks: policies as data, one packer, and the proof that nothing was lost."""
