"""What the lessons share: the maths they derived, the story's data, figures, sliders and checks."""
