"""What stands behind `AutoCluster`: which columns matter, which clustering holds, how sure.

=============  ====================================================================================
`screening`    columns that depend on others more than the best of their shadows does
`clumps`       whether columns that depend on each other are clumped, or one correlated cloud
`joining`      pieces of a fine partition joined wherever two of them are one cloud
`family`       the clusterings that compete, none of which needs K
`judging`      which of them comes out again when rows are left out, and agrees with the others
`weights`      what the clusters say of each column
`search`       the whole: rows in, clusters, weights, doubts and alternatives out
=============  ====================================================================================
"""
