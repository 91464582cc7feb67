"""What stands behind `AutoCluster`: which columns matter, which clustering holds, how sure.

=============  ====================================================================================
`joining`      pieces of a fine partition joined wherever two of them are one cloud
`family`       the clusterings that compete, none of which needs K
`judging`      which of them comes out again when rows are left out, and agrees with the others
`search`       the whole: rows in, clusters, weights, doubts and alternatives out
=============  ====================================================================================

A wider family and a judge that learns from made-up tables are under way. `python -m bench.unseen`
trains and measures them; AutoCluster does not use them yet, because they lose to the family above
on the noise bench.

=============  ====================================================================================
`canonical`    an order of rows and columns that follows from the values
`working`      one table made ready: axes, distances, neighbours, spanning trees
`candidates`   many clusterings of one table, over all numbers of clusters
`evidence`     what can be measured of each without labels
`examining`    columns, candidates and evidence in one call
`judge`        ranks candidates by their evidence; `trees` predicts
=============  ====================================================================================
"""
