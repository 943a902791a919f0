"""References that the definitions of several families of measures cite."""

GENOMICS_2007 = (
    "Hersh, Cohen, Ruslen and Roberts: TREC 2007 Genomics Track Overview. In: Proceedings of the"
    " Sixteenth Text REtrieval Conference, 2007"
)
HIXEVAL = (
    "Pehcevski and Thom: HiXEval: Highlighting XML Retrieval Evaluation. In: Advances in XML"
    " Information Retrieval and Evaluation, LNCS 3977, 2006"
)
TREC_EVAL = "trec_eval 10.0, NIST, 2026"
TREC_EVAL_8 = "trec_eval 8.1, NIST, 2006"
