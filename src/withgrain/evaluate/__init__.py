"""Evaluation: which settings find the evidence better, by how much, and for which kind of question."""

from withgrain.evaluate.bootstrap import Estimate, estimate
from withgrain.evaluate.compare import Comparison, compare, holm
from withgrain.evaluate.metrics import METRICS, Metric
from withgrain.evaluate.questions import EvalQuestion, Problem, QuestionFile
from withgrain.evaluate.reading import load_questions, read_questions
from withgrain.evaluate.run import Answer, Evaluation, evaluate
from withgrain.evaluate.study import Outcome, Study, Subject, study

__all__ = [
    "METRICS",
    "Answer",
    "Comparison",
    "Estimate",
    "EvalQuestion",
    "Evaluation",
    "Metric",
    "Outcome",
    "Problem",
    "QuestionFile",
    "Study",
    "Subject",
    "compare",
    "estimate",
    "evaluate",
    "holm",
    "load_questions",
    "read_questions",
    "study",
]
