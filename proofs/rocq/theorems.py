"""The list of exported theorems, and what Rocq prints for each.

    python3 theorems.py --write     rewrite theorems.json and assumptions.v from the compiled files
    python3 theorems.py             compare theorems.json with the compiled files; exit status 1 if they differ

theorems.json is read by the Python side, which names the theorem wherever it reports the method "rocq".
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

# (id in the theory, module, name, statement in ordinary notation)
THEOREMS = [
    (
        "(*)",
        "defs",
        "answers_linear",
        "for K >= 0 and the inner-product readout, answering is sum_x K(q,x) (<q,x> - y - tau) < 0",
    ),
    ("P4", "defs", "solves_causal", "a causal mask does not change what a final query sees"),
    (
        "P4",
        "defs",
        "solves_everywhere_final",
        "a head that answers at every position answers at the last one",
    ),
    ("D", "defs", "has_featuresP", "a kernel has D features iff the rank of its matrix is at most D"),
    ("L1", "linalg", "rank_trace", "(tr A)^2 <= rank A * ||A||_F^2 over every ordered field"),
    ("L5", "linalg", "dominant_full_rank", "a strictly diagonally dominant matrix has full rank"),
    ("L1", "rates", "hmin_attained", "h(s) is the product of the rates of some composition of s"),
    ("L1", "rates", "hmin_le", "h(s) is at most the product of the rates of every composition of s"),
    (
        "L1, L2",
        "decay",
        "inner_decay",
        "t(q,b) = t(q,a) + s gives Kbar(q,b) < h(s) Kbar(q,a), for position-dependent maps",
    ),
    (
        "L3",
        "decay",
        "free_decay",
        "the free readout at tolerance tau decays as the inner-product readout at 2 tau",
    ),
    (
        "L1, L2",
        "layer",
        "layer_bound",
        "C(m,k) <= D sum_s C(k,s) C(m-k,s) h(s)^2, 0 < k <= m, every n >= 3, every 0 < tau < 1",
    ),
    (
        "L1, L2",
        "layer",
        "layer_bound_div",
        "the same as a quotient: D >= C(m,k) / sum_s C(k,s) C(m-k,s) h(s)^2",
    ),
    (
        "L1, L2",
        "layer",
        "sets_bound",
        "|F|^2 <= D sum over S, T in F of h(|S - T|)^2 for every family F of k-sets",
    ),
    ("L5", "layer", "pairs_trace_bound", "N^2 <= D sum_ij h(gap_ij)^2 for N separated pairs"),
    ("L5", "layer", "pairs_dominance_bound", "N <= D if sum over j != i of h(gap_ij) <= 1 for every i"),
    ("L3", "layer", "free_sets_bound", "the same for free readouts, with 2 tau and D + 1"),
    (
        "L3",
        "layer",
        "free_residue_bound",
        "some N >= C(m,k)/m has N <= (D + 1) sum over s != 1 of C(k,s) C(m-k,s) h(s)^2",
    ),
    ("L3", "layer", "free_layer_bound", "C(m,k) <= m (D + 1) sum over s != 1 of C(k,s) C(m-k,s) h(s)^2"),
    (
        "L3",
        "free_exponential",
        "free_exponential_bound",
        "h(s) <= c y^s for s != 1, h at 2 tau, gives 2^m <= (m+1) m (D+1) c^2 (1+y)^m for free readouts",
    ),
    (
        "L3",
        "free_exponential",
        "free_exponential_three",
        "free readout, n = 3, tau = 1/2: 1.137^m <= 4 m (m+1) (D+1) for every m",
    ),
    ("P2", "exponential", "exponential_bound", "h(s) <= c y^s for all s gives 2^m <= (m+1) D c^2 (1+y)^m"),
    ("P2", "exponential", "exponential_three", "n = 3, tau = 1/2, 3 y^2 >= 1: 2^m <= 3 (m+1) D (1+y)^m"),
    ("P2", "exponential", "exponential_three_1267", "n = 3, tau = 1/2: 1.267^m <= 3 (m+1) D"),
    ("P2", "exponential", "exponential_four", "n = 4, tau = 1/2, 6 y^2 >= 1: 2^m <= (3/2) (m+1) D (1+y)^m"),
    ("L4", "exponential", "exponential_half", "tau = 1/2: (2 (n-2)/(n-1))^m <= (m+1) D for every n >= 3"),
    ("L4", "exponential", "exponential_long", "2^m <= (m+1) D (1 + tau/((n-2)(1-tau)))^m for every n >= 3"),
    (
        "L4, P5",
        "exponential",
        "layer_limit",
        "C(m,k) <= D (1 + (tau/((n-2)(1-tau)))^2 C(m,k)) for every n >= 3",
    ),
    ("L4, P5", "exponential", "layer_limit_exact", "D >= C(m,k) as soon as (n-2)(1-tau) >= tau C(m,k)"),
    (
        "L6",
        "check_independence",
        "shorter_sequences",
        "a kernel that solves n solves every sequence with fewer competitors",
    ),
    ("L7", "independence", "singletons_bound", "D >= m for n >= 3 and tau <= (n-2)(1-tau)"),
    ("L7", "independence", "disjoint_queries", "N disjoint queries with h(|q_i|) <= 1 need N features"),
    (
        "L8",
        "independence",
        "sign_independence",
        "one vector per sign pattern makes the rows independent: N <= D",
    ),
    ("C1, P1", "constructions", "exact_two", "n <= 2, self included, free readout: one feature, error zero"),
    ("C1, P1", "constructions", "exact_two_excluded", "n = 2, self excluded: uniform attention, error zero"),
    (
        "C2",
        "constructions",
        "softmax_criterion",
        "x^t solves (m,n,tau) iff (n-1)(s-tau) x^s < tau for 1 <= s <= m",
    ),
    ("C2, P3", "constructions", "softmax_three", "tau = 1/2, m >= 2, n = 3: x^t solves iff 6 x^2 < 1"),
    ("C2, P3", "constructions", "softmax_long", "tau = 1/2, m >= 2, n >= 4: x^t solves iff x < 1/(n-1)"),
    (
        "C2, C4",
        "constructions",
        "level_criterion",
        "c(q) p(|q - a|) solves iff finitely many inequalities on p hold",
    ),
    ("C3", "products", "power_rank", "x^t has rank exactly 2^m for every x other than 1"),
    ("C3", "products", "nonneg_features_full", "every kernel K >= 0 has 2^m non-negative features"),
    (
        "C4",
        "products",
        "monomial_features",
        "sum_d w_d C(|q - a|,d), w >= 0, has sum over w_d != 0 of C(m,d) non-negative features",
    ),
    ("C4", "products", "monomial_criterion", "when such a kernel solves (m,n,tau)"),
    ("G1", "products", "gaussian_rank", "the Gaussian kernel has rank 2^m on the cube for every 0 < g < 1"),
    (
        "G1",
        "products",
        "gaussian_fails",
        "projection-free and self included, it fails at every g, m >= 1, n >= 2",
    ),
    (
        "C2",
        "products",
        "nonvacuous",
        "for every m >= 2 and n >= 4, (1/n)^t solves with 2^m non-negative features",
    ),
    (
        "P1, P2, P3",
        "separation",
        "separation",
        "one feature at n = 2; 1.267^m <= 3 (m+1) D and D >= m at n = 3; softmax solves n = 3",
    ),
    ("P6", "transcript", "transcript_bound", "M distinct answer functions need M <= |alphabet|^(L H)"),
    ("P6", "transcript", "transcript_determines", "a query learns of the data no more than the transcript"),
    (
        "P6",
        "transcript",
        "answer_antichain",
        "answer functions agree iff the antichains of minimal tokens agree",
    ),
    (
        "P6",
        "transcript",
        "card_answers",
        "answer functions of n tokens are as many as non-empty antichains of at most n sets",
    ),
    (
        "P6",
        "transcript",
        "independent_answers",
        "the query (complement of address j, e_b) reads bit b of payload j",
    ),
    (
        "P6",
        "transcript",
        "independent_answers_bound",
        "n <= C(r, r/2): a correct model has |alphabet|^(L H) >= 2^(n (m-r))",
    ),
    (
        "B1",
        "barrier",
        "barrier",
        "tensor-product features with concentration constants c_j in the coordinates, prod c_j <= F, x <= 2: (2 - x)^m <= F",
    ),
    ("B1", "barrier", "tensor_mean", "such a random feature has the mean x^<q,a>"),
    ("B1", "barrier", "average_mean", "so has the average of F independent copies"),
    ("B1", "barrier", "average_features", "the average of F tensor-product features has F features"),
    (
        "B1",
        "barrier",
        "product_barrier",
        "a random rank-one 2x2 factor with mean (1,1;1,x), second moments <= c mean^2 and values <= c mean has c >= 2 - x",
    ),
    (
        "P6",
        "check_transcript",
        "together_bound",
        "all queries at once: answers that differ on equal queries force |alphabet|^(L H) >= their number",
    ),
    (
        "L8",
        "symmetry",
        "solves_permuted",
        "a permutation of the coordinates takes solving kernels to solving kernels",
    ),
    (
        "L9",
        "kleitman",
        "kleitman",
        "sets of an n-set that differ pairwise in at most 2t < n places: at most C(n,0) + ... + C(n,t) of them",
    ),
    (
        "L9",
        "kleitman",
        "kleitman_sharp",
        "the sets of at most t elements attain the bound of Kleitman's diameter theorem",
    ),
    (
        "L1, L2",
        "decaying",
        "inner_decay_le1",
        "the decay of the inner readout for 0 < tau <= 1, tau = 1 included",
    ),
    (
        "L1, L2",
        "shift",
        "shifted_layer_bound",
        "C(m,k) (1-b(0))^2 <= (D + C(m,j)) sum_s C(k,s) C(m-k,s) M(s)^2, b a polynomial of degree j <= k in s subtracted",
    ),
    (
        "L3",
        "shift",
        "shifted_free_residue_bound",
        "the same for free readouts at 2 tau, on k-sets of one residue class, s != 1",
    ),
    (
        "L3",
        "shift",
        "shifted_free_layer_bound_small",
        "the same for free readouts with 2 tau < 1, on all k-sets",
    ),
    (
        "L1",
        "shift",
        "newton_features",
        "a polynomial of degree j <= k in <q,a> is, on the k-sets q, a kernel with C(m,j) features",
    ),
    (
        "L5",
        "weighted",
        "shifted_trace",
        "(sum x_i y_i (1 - B_ii))^2 <= (D + r) sum (x_i y_j M_ij)^2, a matrix B of rank r subtracted",
    ),
    (
        "L5",
        "weighted",
        "weighted_dominance",
        "sum over j != i of y_j h_ij <= y_i for every i gives N <= D",
    ),
    (
        "L7",
        "check_singletons",
        "disjoint_blocks",
        "h(r) <= 1 gives floor(m/r) <= D for every decaying kernel",
    ),
    (
        "C4",
        "check_levels",
        "inner_reduction",
        "level reduction: the extremes of each row on its levels decide all sequences, every length",
    ),
    (
        "C4",
        "check_free",
        "free_reduction",
        "level reduction for a free readout, both sides of the error",
    ),
    (
        "L9",
        "nonneg",
        "nonneg_layer_bound",
        "non-negative features, one layer: at some level w = 1/2^j the pair count and Kleitman's theorem both bound D",
    ),
    (
        "L9",
        "nonneg",
        "nonneg_exponential",
        "h(s) <= c u^(2s) gives 2^m <= (m+1) D (near + far), the two bounds at the distance r where they meet",
    ),
    (
        "L9",
        "nonneg",
        "nonneg_exponential_base",
        "b^m <= (m+1) D (4 (m+1)^2 c^2/u^2 + 2 (m+1) c) for every base b that passes two inequalities",
    ),
    (
        "L9",
        "nonneg_numbers",
        "nonneg_exponential_three",
        "n = 3, tau = 1/2: 1.3056^m <= 25 (m+1)^3 D for every m, D non-negative features, position-dependent maps included",
    ),
    (
        "R1",
        "reduction",
        "noise_reduction",
        "A = (1 +- 1/(4m)) r^-d on even weights with D features gives a solving kernel with 2 m D + 1 features",
    ),
    (
        "R1",
        "reduction",
        "noise_reduction_nonneg",
        "the same with non-negative features",
    ),
    ("R1", "reduction", "noise_rate_three", "R1's hypothesis at n = 3, tau = 1/2: every r with r^4 >= 3"),
    ("certificates", "check_kernel", "check_kernel_sound", "check_kernel c = true gives D* <= value"),
    (
        "certificates",
        "check_classes",
        "check_classes_sound",
        "check_classes c = true gives D* <= value, by features on the d-subsets; blocks of monomials are the special case",
    ),
    (
        "certificates",
        "check_setfunction",
        "check_setfunction_sound",
        "check_setfunction c = true gives D* <= the number of terms",
    ),
    (
        "certificates",
        "check_setfunction",
        "check_expanded_sound",
        "check_expanded = true: x^t solves with 2^m non-negative features",
    ),
    (
        "certificates",
        "check_free",
        "check_free_sound",
        "check_free c = true gives D* <= value for a free readout",
    ),
    (
        "certificates",
        "check_layer",
        "check_layer_sound",
        "check_layer c = true gives D* >= value, position-dependent maps included",
    ),
    (
        "certificates",
        "check_layer",
        "check_layer_free_sound",
        "check_layer_free c = true gives D* >= value for free readouts",
    ),
    (
        "certificates",
        "check_pairs",
        "check_trace_sound",
        "check_trace c = true gives D* >= value, position-dependent maps included",
    ),
    (
        "certificates",
        "check_pairs",
        "check_trace_free_sound",
        "the same for free readouts",
    ),
    (
        "certificates",
        "check_pairs",
        "check_dominance_sound",
        "check_dominance c = true gives D* >= value, position-dependent maps included",
    ),
    (
        "certificates",
        "check_pairs",
        "check_dominance_free_sound",
        "the same for free readouts",
    ),
    (
        "certificates",
        "check_derivation",
        "check_derivation_sound",
        "check_derivation c = true gives the inequality in every solving uniform head, inner or free readout",
    ),
    (
        "certificates",
        "check_derivation",
        "check_derivation_positional_sound",
        "the same for position-dependent kernels and readouts",
    ),
    (
        "certificates",
        "check_transcript",
        "check_single_sound",
        "check_transcript c = true gives 2^value <= |alphabet|^(L H), one query at a time",
    ),
    (
        "certificates",
        "check_transcript",
        "check_together_sound",
        "check_transcript c = true gives 2^value <= |alphabet|^(L H), all queries at once",
    ),
    (
        "certificates",
        "check_singletons",
        "check_singletons_sound",
        "check_singletons = true gives D* >= value, position-dependent maps included",
    ),
    (
        "certificates",
        "check_singletons",
        "check_singletons_free_sound",
        "the same for free readouts",
    ),
    (
        "certificates",
        "check_independence",
        "check_independence_sound",
        "check_independence c = true gives D* >= the number of queries",
    ),
]


def requires() -> str:
    modules = dict.fromkeys(module for _, module, _, _ in THEOREMS)
    return (
        "From Coq Require Import ZArith.\nFrom mathcomp Require Import all_ssreflect all_algebra.\n"
        + f"From KattnBounds Require {' '.join(modules)}.\n"
    )


def printed() -> dict[str, str]:
    """What `Check` prints for every theorem, on one line."""
    with tempfile.TemporaryDirectory() as scratch:
        lines = [requires(), "Set Printing Width 200.\n"]
        for _, module, name, _ in THEOREMS:
            lines.append(f'Redirect "{scratch}/{module}.{name}" Check @{module}.{name}.\n')
        file = Path(scratch) / "check_all.v"
        file.write_text("".join(lines))
        subprocess.run(["coqc", "-w", "none", "-R", str(HERE), "KattnBounds", str(file)], check=True)
        result = {}
        for _, module, name, _ in THEOREMS:
            text = " ".join((Path(scratch) / f"{module}.{name}.out").read_text().split())
            result[f"{module}.{name}"] = text.partition(" : ")[2]
        return result


def entries() -> list[dict[str, str]]:
    check = printed()
    return [
        {
            "id": ids,
            "name": name,
            "module": f"KattnBounds.{module}",
            "statement": text,
            "rocq": check[f"{module}.{name}"],
        }
        for ids, module, name, text in THEOREMS
    ]


def assumptions() -> str:
    head = (
        "(* Written by theorems.py.  Prints the axioms under the exported theorems, all at once: none. *)\n"
    )
    names = ",\n   ".join(f"@{module}.{name}" for _, module, name, _ in THEOREMS)
    return (
        head
        + requires()
        + f"Definition exported_theorems :=\n  ({names}).\nPrint Assumptions exported_theorems.\n"
    )


def main() -> int:
    found = json.dumps(entries(), indent=1, ensure_ascii=False) + "\n"
    target, listing = HERE / "theorems.json", HERE / "assumptions.v"
    if "--write" in sys.argv:
        target.write_text(found)
        listing.write_text(assumptions())
        return 0
    same = target.read_text() == found and listing.read_text() == assumptions()
    print(
        "theorems.json agrees with the compiled files"
        if same
        else "theorems.json differs: python3 theorems.py --write"
    )
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
