"""The grid of `benchmarks/evaluation.py`: data sets x policies and peers, each cell kept so that a run can go on."""
