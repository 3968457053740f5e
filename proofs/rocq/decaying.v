(******************************************************************************)
(* Decaying kernels: what the lower bounds know of a head that solves.        *)
(*   decaying T N D A  == A >= 0 has D features, and A(q,b) < h(s) A(q,a)     *)
(*                        whenever t(q,b) = t(q,a) + s, s > T; h is that of   *)
(*                        length N and tolerance T                            *)
(*   inner_decay_le1   : the decay of the inner-product readout for tau <= 1, *)
(*                        the tolerance 1 included                            *)
(*   inner_decaying    : kbar K, T = tau <= 1                                 *)
(*   free_decaying     : kself K, T = 2 tau, one feature more with self       *)
(*   features_gt0      : a head that solves has at least one feature          *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_algebra.
From KattnBounds Require Import defs rates decay.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Definition decaying (R : realFieldType) m (T : R) (N D : nat) (A : kernel R m) : Prop :=
  [/\ forall q a, 0 <= A q a, has_features D A &
      forall q a b s, dot q b = (dot q a + s)%N -> T < s%:R -> A q b < h N T s * A q a].

Section Inner.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K : pkernel R m n.+1).
Hypotheses (n_gt1 : (1 < n)%N) (tau_gt0 : 0 < tau) (tau_le1 : tau <= 1).
Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self tau K inner.
Implicit Types q a b : token m.

Let ord0_neq : (ord0 : 'I_n.+1) != ord_max.
Proof. by rewrite -val_eqE /= eq_sym -lt0n ltnW. Qed.

(* The linear inequality of the sequence (b, ..., b, a, b, ..., b, q). *)
Let step_at q a b s (i : 'I_n.+1) : i != ord_max ->
    dot q b = (dot q a + s)%N -> (0 < s)%N ->
  (s%:R - tau) * (\sum_(j | (j != ord_max) && (j != i)) K ord_max j q b) <
  tau * K ord_max i q a.
Proof.
move=> i_neq eq_ab s_gt0; pose t : R := (dot q a)%:R.
have /answers_linear := solK (pattern i q a b).
move=> /(_ tau_gt0 (fun j => K_ge0 _ _ _ _)).
rewrite target_pattern ?eq_ab ?leq_addr // pattern_last.
rewrite (sum_pattern _ _ _ _ _ (fun j c => K ord_max j q c * ((dot q c)%:R - t - tau))) //.
rewrite -mulr_suml subrr sub0r mulrN eq_ab natrD [t + _]addrC addrK -addrA addrC => lin.
rewrite -subr_lt0 mulrC [tau * _]mulrC; apply: le_lt_trans lin; rewrite ler_add2r ler_addl.
case: self => //; rewrite mulr_ge0 // subr_ge0 (le_trans tau_le1) //.
rewrite -natrB ?dotxx ?dot_le // ler1n subn_gt0.
by rewrite (leq_trans _ (dot_le q b)) // eq_ab -addn1 leq_add2l.
Qed.

Let step q a b s : dot q b = (dot q a + s)%N -> tau < s%:R ->
  kbar K q b < g n.+1 tau s * kbar K q a.
Proof.
move=> eq_ab s_gt; have s_gt0 := part_gt0 tau_gt0 s_gt.
have nR : (n.+1 - 2)%N = n.-1 by rewrite subSS subn1.
have n1_gt0 : 0 < (n.-1)%:R :> R by rewrite ltr0n -subn1 subn_gt0.
rewrite /g nR mulrAC ltr_pdivl_mulr ?mulr_gt0 ?subr_gt0 //.
have -> : kbar K q b * (n.-1%:R * (s%:R - tau)) = (s%:R - tau) * (kbar K q b *+ n.-1).
  by rewrite -[kbar K q b *+ _]mulr_natr mulrA mulrC.
rewrite -subr_gt0 -sum_competitors_others !mulr_sumr -sumrB.
apply: (@sumr_gt0 _ _ (fun i => i != ord_max) _ ord0) => // i i_neq.
by rewrite subr_gt0 step_at.
Qed.

Theorem inner_decay_le1 q a b s : dot q b = (dot q a + s)%N -> tau < s%:R ->
  kbar K q b < h n.+1 tau s * kbar K q a.
Proof. by apply: (chain tau_gt0 _ step) => r; apply: g_gt0. Qed.

Lemma inner_decaying D : has_pfeatures D K -> decaying tau n.+1 D (kbar K).
Proof.
move=> featK; split; [exact: kbar_ge0 | exact: kbar_features | exact: inner_decay_le1].
Qed.

End Inner.

Section Solves.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables (K V : pkernel R m n.+1) (D : nat).
Hypotheses (n_gt1 : (1 < n)%N) (tau_gt0 : 0 < tau).
Hypothesis K_ge0 : nonneg K.
Hypothesis solK : solves causal self tau K V.
Hypothesis featK : has_pfeatures D K.

Lemma free_decaying : decaying (2%:R * tau) n.+1 (D + self) (kself self K).
Proof.
split; [exact: kself_ge0 | exact: kself_features | exact: (free_decay n_gt1 tau_gt0 solK)].
Qed.

Lemma features_gt0 : (0 < D)%N.
Proof.
have [phi [psi Kpp]] := featK; have [D0|//] := posnP D.
have [norm_gt0 _] := solK (fun _ => set0); move: norm_gt0; rewrite /normaliser big1 ?ltxx //.
move=> j _; rewrite Kpp mxE big1 // => k _.
by exfalso; have := leq_ltn_trans (leq0n k) (ltn_ord k); rewrite D0.
Qed.

End Solves.
