"""Why parts of a tile stay uncovered by lock-step programs.

From a regular expression, for the module in the tile and the point in it as
`cosim.coverage.Point.name` has them, to the reason. The first that matches counts.
"""

REASONS: dict[str, str] = {}
