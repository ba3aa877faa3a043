"""The codebook at work in the workbench: one function a page or an act; each takes the desk and the person who acts."""
