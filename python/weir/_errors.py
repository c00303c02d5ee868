"""Errors that the extension module raises."""


class InputError(ValueError):
    """What was given cannot be used. The message says what is wrong, where, and what would be valid.

    file, line: the place in a file; None where there is none
    key: the dotted key in a scenario, such as "algorithm.decision_latency", or the name of a parameter; or None
    """

    def __init__(self, message, file=None, line=None, key=None):
        super().__init__(message)
        self.file = file
        self.line = line
        self.key = key

    def __reduce__(self):
        return type(self), (str(self), self.file, self.line, self.key)
