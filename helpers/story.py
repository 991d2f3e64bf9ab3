"""The story's numbers: the lab where a pen is lost, and the sentence that finds it. All of them are literals.

The lab has `d_k` = 3 and `d_v` = 2; the sentence has `d_model` = 8, `d_k` = 4 and `d_v` = 3. No two sizes agree by
accident, so that a transpose or a wrong scale shows.
"""

import numpy as np

# --- The lab -------------------------------------------------------------------------------------------------------

room = (8.0, 6.0)  # width and depth of the floor plan, in metres
topics = ["pens", "coffee", "anime"]  # what the d_k = 3 numbers of a query or a key are about
people = [
    "the senior next to me",
    "the senior by the window",
    "the senior with coffee",
    "the one with headphones",
    "the tea drinker",
]
places = ["the shelf", "the blue desk", "the coffee machine", "the sofa", "the tea table"]  # where each of them points

my_seat = np.array([3.3, 2.2])  # (2,) metres
seats = np.array([[2.1, 2.5], [7.2, 2.9], [4.7, 0.8], [0.8, 2.3], [2.6, 5.2]])  # (n_keys, 2) where each person sits
lab_keys = np.array([[0.5, 0, 2], [2, 0.5, 0], [0.5, 2, 0], [0, 0, 1.5], [1, 1.5, 0]])  # (n_keys, d_k)
lab_values = np.array([[1.0, 4], [7, 5], [6, 1], [2, 1], [4, 4]])  # (n_keys, d_v) metres; their mean is (4, 3)

questions = {  # (d_k,) each: how much of each topic the question is about
    "where is my octane pen?": np.array([1.5, 0.5, 0]),
    "who has coffee?": np.array([0, 2.0, 0]),
    "who watches anime?": np.array([0, 0, 1.5]),
    "a pen with anime on it?": np.array([1.0, 0, 1]),
}
q_pen = questions["where is my octane pen?"]  # (d_k,)

# --- The sentence --------------------------------------------------------------------------------------------------

sentence = "have you seen my octane pen ? yes , i saw it on the blue desk ."
tokens = "i saw it on the blue desk".split()  # the cut that most lessons use: no pen in it
pen_tokens = "my octane pen ? i saw it".split()  # the cut in which "it" can find the pen

features = ["person", "thing", "place", "sees", "describes", "points", "asks", "glue"]  # the d_model = 8 columns
asked = ["who", "what", "where", "does"]  # the d_k = 4 columns of W_q and W_k
handed_over = ["who", "what", "where"]  # the d_v = 3 columns of W_v

vocabulary = [
    ",", ".", "?", "blue", "desk", "have", "i", "it", "my", "octane", "on", "pen", "saw", "seen", "the", "yes", "you",
]  # fmt: skip
embeddings = np.array(  # (n_vocabulary, d_model), a row a word, in the order above
    [
        [0, 0, 0, 0, 0, 0, 0, 1],  # ,
        [0, 0, 0, 0, 0, 0, 0, 1],  # .
        [0, 0, 0, 0, 0, 0, 1, 1],  # ?
        [0, 0, 0, 0, 1, 0, 0, 0],  # blue
        [0, 0.5, 1, 0, 0, 0, 0, 0],  # desk
        [0, 0, 0, 0.5, 0, 0, 0.5, 0],  # have
        [1, 0, 0, 0, 0, 0, 0, 0],  # i
        [0, 0.5, 0, 0, 0, 1, 0, 0],  # it
        [0.5, 0, 0, 0, 0, 1, 0, 0],  # my
        [0, 0.5, 0, 0, 0, 0.5, 0, 0],  # octane
        [0, 0, 0.5, 0, 0.5, 0, 0, 0],  # on
        [0, 1, 0, 0, 0, 0, 0, 0],  # pen
        [0, 0, 0, 1, 0, 0, 0, 0],  # saw
        [0, 0, 0, 1, 0, 0, 0, 0],  # seen
        [0, 0, 0, 0, 0.5, 0, 0, 1],  # the
        [0, 0, 0, 0, 0, 0, -1, 0],  # yes
        [1, 0, 0, 0, 0, 0, 0.5, 0],  # you
    ]
)


def embed(words: list[str]) -> np.ndarray:
    """Look the words up in the table of embeddings.

    Parameters
    ----------
    words : list of str
        Tokens, each one of `vocabulary`.

    Returns
    -------
    numpy.ndarray
        X, of shape (n_tokens, d_model).

    Raises
    ------
    TypeError
        If `words` is no list of words.
    ValueError
        If a word isn't in `vocabulary`; the message names it.
    """
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"words must be a list of words, not {words!r}")
    unknown = [word for word in words if word not in vocabulary]
    if unknown:
        raise ValueError(f"words not in the story's vocabulary: {', '.join(map(repr, unknown))}")
    return embeddings[[vocabulary.index(word) for word in words]]


X = embed(tokens)  # (n_tokens, d_model) = (7, 8)
X_pen = embed(pen_tokens)  # (7, 8)

W_q = np.array(  # (d_model, d_k) = (8, 4): what each feature makes a token look for
    [
        [0, 0, 0, 1],
        [0, 0, 1, 0],
        [0, 1, -0.5, 0],
        [1, 1.5, -1, 0],
        [0, 1, 1, 0],
        [0, 2, -1, -1],
        [0, 0, 1, 1],
        [0, 0, 0, 0],
    ]
)
W_k = np.array(  # (d_model, d_k) = (8, 4): what each feature lets a token be found by
    [
        [3, 0, 0, 0],
        [0, 3, 0, 0],
        [0, 0, 3, 0],
        [0, 0, 0, 3],
        [0, 0, 1, 0],
        [0, 0.5, 0.5, 0],
        [0, 0, 0, 0],
        [-1, -1, -1, -1],
    ]
)
W_v = np.array(  # (d_model, d_v) = (8, 3): what each feature hands over
    [
        [2.0, 0, 0],
        [0, 2, 0],
        [0, 0, 2],
        [0, 0, 0],
        [0, 1, 0],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
    ]
)
