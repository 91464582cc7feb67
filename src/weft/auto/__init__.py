"""The parts of `AutoCluster`: candidates, evidence, a judge, and the certainty of the answer.

=============  ====================================================================================
`canonical`    an order of rows and columns that follows from the values
`working`      one table made ready: axes, distances, neighbours, spanning trees
`candidates`   the clusterings that compete, over all numbers of clusters
`evidence`     what can be measured for each without labels
`judge`        ranks them; trained on synthetic tables by ``python -m bench.unseen train``
`reasons`      the evidence for and against the answer, in words
`resampling`   whether the answer is reproduced when rows are left out
`search`       the complete search: from rows to clusters, weights, confidence and alternatives
=============  ====================================================================================
"""
