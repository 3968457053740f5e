(******************************************************************************)
(* Linear algebra over an ordered field.                                      *)
(*   sqnorm A     == the sum of the squared entries of A (Frobenius)          *)
(*   rank_trace   : (\tr A)^2 <= rank A * sqnorm A                            *)
(*   dominant_full_rank : a strictly diagonally dominant matrix has full rank *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section SquaredNorm.
Variable R : realFieldType.

Definition sqnorm m n (A : 'M[R]_(m, n)) : R := \sum_i \sum_j A i j ^+ 2.

Lemma sqnorm_ge0 m n (A : 'M[R]_(m, n)) : 0 <= sqnorm A.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; apply: sqr_ge0. Qed.

Lemma sqnorm_tr m n (A : 'M[R]_(m, n)) : sqnorm A = \tr (A *m A^T).
Proof.
apply: eq_bigr => i _; rewrite mxE.
by apply: eq_bigr => j _; rewrite mxE expr2.
Qed.

Lemma sqnorm_eq0 m n (A : 'M[R]_(m, n)) : sqnorm A = 0 -> A = 0.
Proof.
have nn i : 0 <= \sum_j A i j ^+ 2 by apply: sumr_ge0 => j _; apply: sqr_ge0.
move/eqP; rewrite psumr_eq0 // => /allP Arow0.
apply/matrixP => i j; rewrite mxE.
have /implyP/(_ isT) := Arow0 i (mem_index_enum i).
rewrite psumr_eq0 => [/allP/(_ j (mem_index_enum j))/implyP/(_ isT)|k _].
  by rewrite sqrf_eq0 => /eqP.
exact: sqr_ge0.
Qed.

(* The Gram matrix of independent rows is invertible. *)
Lemma gram_unit r n (B : 'M[R]_(r, n)) : row_free B -> B *m B^T \in unitmx.
Proof.
move=> freeB; rewrite -row_free_unit; apply: inj_row_free => v vG0.
apply: (row_free_inj freeB); rewrite mul0mx; apply: sqnorm_eq0.
by rewrite sqnorm_tr trmx_mul mulmxA -(mulmxA v) vG0 mul0mx mxtrace0.
Qed.

End SquaredNorm.

Section RankTrace.
Variables (R : realFieldType) (n : nat) (A : 'M[R]_n).

Let B := row_base A.
Let G := B *m B^T.
(* The orthogonal projector on the row space of A. *)
Let P := B^T *m invmx G *m B.

Let G_unit : G \in unitmx. Proof. exact: gram_unit (row_base_free A). Qed.

Let G_sym : G^T = G. Proof. by rewrite trmx_mul trmxK. Qed.

Let P_sym : P^T = P.
Proof. by rewrite /P trmx_mul (trmx_mul _ (invmx G)) trmx_inv G_sym trmxK mulmxA. Qed.

Let BP : B *m P = B.
Proof. by rewrite /P !mulmxA mulmxV // mul1mx. Qed.

Let AP : A *m P = A.
Proof. by rewrite -[X in X *m _]mulmx_base -mulmxA BP mulmx_base. Qed.

Let PP : P *m P = P.
Proof. by rewrite {1}/P -mulmxA BP. Qed.

Let trP : \tr P = (\rank A)%:R.
Proof. by rewrite /P mxtrace_mulC !mulmxA mulmxV // mxtrace1. Qed.

Theorem rank_trace : (\tr A) ^+ 2 <= (\rank A)%:R * sqnorm A.
Proof.
case: (posnP (\rank A)) => [/eqP|r_gt0].
  rewrite mxrank_eq0 => /eqP->.
  by rewrite mxtrace0 expr0n mulr_ge0 ?ler0n ?sqnorm_ge0.
set r : R := (\rank A)%:R; set t := \tr A.
have {}r_gt0: 0 < r by rewrite ltr0n.
have: 0 <= sqnorm (r *: A - t *: P) by apply: sqnorm_ge0.
have trPA : \tr (P *m A^T) = t.
  by rewrite -mxtrace_tr trmx_mul trmxK P_sym AP.
have -> : sqnorm (r *: A - t *: P) =
          \tr ((r *: A - t *: P) *m (r *: A^T - t *: P)).
  by rewrite sqnorm_tr [(_ - _)^T]linearB /= !linearZ /= P_sym.
rewrite mulmxBl !mulmxBr -!scalemxAl -!scalemxAr.
rewrite !(raddfB, mxtraceZ) /= !mxtraceZ AP PP trP trPA.
rewrite -sqnorm_tr -/r -/t.
have -> : r * (r * sqnorm A) - r * (t * t) +
          (- (t * (r * t)) - - (t * (t * r))) =
          r * (r * sqnorm A - t ^+ 2) by ring.
by rewrite pmulr_rge0 // subr_ge0.
Qed.

End RankTrace.

Section DiagonalDominance.
Variables (R : realFieldType) (n : nat) (A : 'M[R]_n).
Hypothesis dom : forall i, \sum_(j | j != i) `|A i j| < `|A i i|.

(* Levy-Desplanques. *)
Theorem dominant_full_rank : \rank A = n.
Proof.
rewrite -mxrank_tr; apply/eqP; rewrite -/(row_free _); apply: inj_row_free => v vA.
case: n A dom v vA => [|n'] M domM v vM0; first by rewrite thinmx0.
pose i := [arg max_(k > ord0) `|v 0 k|]%O.
have vmax k : `|v 0 k| <= `|v 0 i|.
  by rewrite /i; case: arg_maxP => // j _; apply.
apply/eqP; apply/negPn/negP => v_neq0.
have vi_gt0 : 0 < `|v 0 i|.
  rewrite lt_neqAle normr_ge0 andbT; apply: contra_neq v_neq0 => vi0.
  by apply/rowP => k; apply/eqP; rewrite mxE -normr_le0 vi0.
have /(congr1 (fun B : 'rV_ _ => B 0 i)) := vM0.
rewrite !mxE (bigD1 i) //= mxE => /(canRL (addrK _)); rewrite sub0r => eq_i.
have : `|M i i| * `|v 0 i| <= (\sum_(j | j != i) `|M i j|) * `|v 0 i|.
  rewrite -normrM mulrC eq_i normrN mulr_suml.
  apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
  by rewrite mxE normrM mulrC ler_wpmul2l.
by rewrite ler_pmul2r // leNgt domM.
Qed.

End DiagonalDominance.
