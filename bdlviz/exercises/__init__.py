"""Exercises: what a student can answer on each page, and have checked. One module for each section of the app."""

from bdlviz.exercises.exercise import Choice, Exercise, Number, Prediction, Setting

__all__ = ["Choice", "Exercise", "Number", "Prediction", "Setting"]
