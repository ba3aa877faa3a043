"""GH Archive: hour files of GitHub's public events, read for some projects. Pure: no network, file or clock."""
