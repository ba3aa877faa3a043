"""The annotation workbench: one function a use case, each for the person who acts.

Every function takes the ``Workbench`` and the id of the person, checks what that person may do, and gives a frozen
value that holds only what that person may see. Pages render these values and know nothing else.
"""
