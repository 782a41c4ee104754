"""Evaluation: which settings find the evidence better, by how much, and for which kind of question."""

from withgrain.evaluate.bootstrap import Estimate, estimate
from withgrain.evaluate.questions import EvalQuestion, load_questions
from withgrain.evaluate.run import Answer, Evaluation, evaluate

__all__ = ["Answer", "Estimate", "EvalQuestion", "Evaluation", "estimate", "evaluate", "load_questions"]
