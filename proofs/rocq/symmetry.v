(******************************************************************************)
(* Permutations of the coordinates.                                           *)
(*       permuted s K == the kernel K(s q, s a)                               *)
(*     solves_permuted : if K solves, so does its image                       *)
(*  separated K q sgn == one vector is positive on every row of K at q, with  *)
(*                       its sign (the hypothesis of sign_independence)       *)
(*  separated_permuted : an image of the kernel permutes the sign pattern     *)
(******************************************************************************)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From KattnBounds Require Import defs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition permuted (R : Type) m (s : {perm 'I_m}) (K : kernel R m) : kernel R m :=
  fun q a => K (s @: q) (s @: a).

Definition separated (R : realFieldType) m N (K : kernel R m) (q : 'I_N -> token m)
    (sgn : 'I_N -> bool) : Prop :=
  exists v : token m -> R, forall i, 0 < (-1) ^+ sgn i * \sum_a K (q i) a * v a.

Section Permuted.
Variables (R : realFieldType) (m : nat) (s : {perm 'I_m}).
Implicit Types (K : kernel R m) (q a : token m).

Lemma dot_perm q a : dot (s @: q) (s @: a) = dot q a.
Proof. by rewrite /dot -imsetI ?card_imset //; [apply: perm_inj | move=> x y _ _ /perm_inj]. Qed.

Lemma target_perm n causal self (x : sequence m n) i :
  target causal self (fun j => s @: x j) i = target causal self x i.
Proof. by apply: eq_bigr => j _; rewrite dot_perm. Qed.

Lemma solves_permuted n causal self (tau : R) K :
    solves causal self tau (uniform K : pkernel R m n.+1) inner ->
  solves causal self tau (uniform (permuted s K) : pkernel R m n.+1) inner.
Proof.
move=> solK x; have := solK (fun j => s @: x j); rewrite /answers target_perm.
rewrite /head /inner; under eq_bigr => j _ do rewrite dot_perm.
by [].
Qed.

Lemma imset_permK : cancel (fun a : token m => s @: a) (fun a => s^-1%g @: a).
Proof. by move=> a; rewrite -imset_comp (eq_imset _ (permK s)) imset_id. Qed.

Lemma imset_permVK : cancel (fun a : token m => s^-1%g @: a) (fun a => s @: a).
Proof. by move=> a; rewrite -imset_comp (eq_imset _ (permKV s)) imset_id. Qed.

Lemma separated_permuted N K (q : 'I_N -> token m) sgn (r : 'I_N -> 'I_N) :
    (forall i, s @: q (r i) = q i) ->
  separated (permuted s K) q sgn -> separated K q (fun i => sgn (r i)).
Proof.
move=> sq [v v_gt0]; exists (fun a => v (s^-1%g @: a)) => i.
rewrite (reindex (fun a : token m => s @: a)) /=; last first.
  by exists (fun a : token m => s^-1%g @: a) => a _; [apply: imset_permK | apply: imset_permVK].
have := v_gt0 (r i); rewrite /permuted sq.
by under [X in _ -> is_true (0 < _ * X)]eq_bigr => a _ do rewrite imset_permK.
Qed.

End Permuted.
