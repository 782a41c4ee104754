"""Facts of a text: pure detectors, one combined scan, and the quality that follows from what was found."""

from withgrain.signals.detect import DETECTORS_VERSION, detect
from withgrain.signals.profile import Profile, read_profile, shipped_profile
from withgrain.signals.quality import QUALITY_VERSION, explain_quality, has_own_signal, quality
from withgrain.signals.related import Join, join_keys, join_path, related_keys
from withgrain.signals.rules import NO_RULES, DetectorRule, Rules, read_rules
from withgrain.signals.vocabulary import Vocabulary, compile_vocabulary

__all__ = [
    "DETECTORS_VERSION",
    "NO_RULES",
    "QUALITY_VERSION",
    "DetectorRule",
    "Join",
    "Profile",
    "Rules",
    "Vocabulary",
    "compile_vocabulary",
    "detect",
    "explain_quality",
    "has_own_signal",
    "join_keys",
    "join_path",
    "quality",
    "read_profile",
    "read_rules",
    "related_keys",
    "shipped_profile",
]
