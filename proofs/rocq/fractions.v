(******************************************************************************)
(* Fractions of binary numbers in an ordered field: comparisons computed.     *)
(*   frac R a b == a / b in R, for a, b : N                                   *)
(******************************************************************************)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Lemma nat_of_bin_le (a b : N) : N.leb a b -> (nat_of_bin a <= nat_of_bin b)%N.
Proof. by move=> /N.leb_le/N.sub_add <-; rewrite nat_of_add_bin leq_addl. Qed.

Lemma nat_of_bin_gt0 (a : N) : N.leb 1 a -> (0 < nat_of_bin a)%N.
Proof. exact: nat_of_bin_le. Qed.

Section Fractions.
Variable R : realFieldType.
Implicit Types a b p q : N.

Definition frac a b : R := (nat_of_bin a)%:R / (nat_of_bin b)%:R.

Lemma frac_gt0 a b : N.leb 1 a -> N.leb 1 b -> 0 < frac a b.
Proof. by move=> a_gt0 b_gt0; rewrite divr_gt0 ?ltr0n ?nat_of_bin_gt0. Qed.

Lemma frac_ge0 a b : 0 <= frac a b.
Proof. by rewrite divr_ge0 ?ler0n. Qed.

Lemma frac_le a b p q : N.leb 1 b -> N.leb 1 q -> N.leb (a * q) (p * b) -> frac a b <= frac p q.
Proof.
move=> b_gt0 q_gt0 /nat_of_bin_le; rewrite !nat_of_mul_bin => le_aq_pb.
rewrite ler_pdivr_mulr ?ltr0n ?nat_of_bin_gt0 // mulrAC.
by rewrite ler_pdivl_mulr ?ltr0n ?nat_of_bin_gt0 // -!natrM ler_nat.
Qed.

Lemma frac_nat a : (nat_of_bin a)%:R = frac a 1.
Proof. by rewrite /frac divr1. Qed.

Lemma frac1 : 1 = frac 1 1.
Proof. exact: (frac_nat 1). Qed.

Lemma fracM a b p q : frac a b * frac p q = frac (a * p) (b * q).
Proof. by rewrite mulf_div /frac !nat_of_mul_bin !natrM. Qed.

Lemma fracV a b : (frac a b)^-1 = frac b a.
Proof. exact: invf_div. Qed.

Lemma frac1D a b : N.leb 1 b -> 1 + frac a b = frac (b + a) b.
Proof.
move=> /nat_of_bin_gt0 b_gt0.
by rewrite /frac nat_of_add_bin natrD mulrDl divff // pnatr_eq0 -lt0n.
Qed.

Definition npow a k : N := iter k (N.mul a) 1%num.

Lemma npow_gt0 a k : N.leb 1 a -> N.leb 1 (npow a k).
Proof.
move=> /N.leb_le a_gt0; apply/N.leb_le; elim: k => //= k IHk.
by rewrite -[1%num]/(1 * 1)%num; apply: N.mul_le_mono.
Qed.

Lemma fracX a b k : frac a b ^+ k = frac (npow a k) (npow b k).
Proof. by elim: k => [|k IHk]; rewrite ?expr0 -?frac1 // exprS IHk fracM. Qed.

(* A product of two powers below a power. *)
Lemma frac_powM_le a b p q e k l : N.leb 1 b -> N.leb 1 q ->
    N.leb (npow a k * npow p l) (npow e l * (npow b k * npow q l)) ->
  frac a b ^+ k * frac p q ^+ l <= (nat_of_bin e)%:R ^+ l.
Proof.
move=> b_gt0 q_gt0 le_pow.
have -> : (nat_of_bin e)%:R ^+ l = frac (npow e l) 1.
  rewrite -frac_nat; elim: l {le_pow} => [|l IHl]; first by rewrite expr0.
  by rewrite exprS IHl -natrM -nat_of_mul_bin.
rewrite !fracX fracM; apply: frac_le; rewrite ?N.mul_1_r //.
by apply/N.leb_le; rewrite -[1%num]/(1 * 1)%num; apply: N.mul_le_mono; apply/N.leb_le/npow_gt0.
Qed.

End Fractions.
