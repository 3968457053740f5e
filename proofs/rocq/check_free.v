(******************************************************************************)
(* Kernel certificates for the free readout: K = phi psi^T with any readout   *)
(* V(q,a), given with one denominator for each query.                         *)
(*   free_reduction   : all sequences, from the levels of each row, both sides*)
(*   upper_bound_free : what such a certificate claims                        *)
(*   check_free       : the checker;  check_free_sound : upper_bound_free     *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay check_base check_levels check_kernel.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* A kernel and a readout, uniform in the positions.                          *)
Definition upper_bound_free (m n : nat) (tn td : Z) (self signed : bool) (value : nat) : Prop :=
  forall (R : realFieldType) (causal : bool) n', n = n'.+1 ->
  exists K V : kernel R m,
    [/\ forall q a, 0 <= K q a,
        solves causal self (ztau R tn td) (uniform K : pkernel R m n'.+1) (uniform V) &
        if signed then has_features value K else has_nonneg_features value K].

Section FreeReduction.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variables K V : kernel R m.
Hypothesis tau_gt0 : 0 < tau.

(* The output is below y + tau (up) and above y - tau. *)
Definition side (up : bool) (q : token m) (y : nat) (a : token m) : R :=
  K q a * ((if up then V q a - y%:R else y%:R - V q a) - tau).

Lemma answers_sides (x : sequence m n.+1) :
    (forall up, \sum_(j | attends causal self ord_max j)
       side up (x ord_max) (target causal self x ord_max) (x j) < 0) ->
  answers causal self tau (uniform K) (uniform V) x ord_max.
Proof.
move=> neg; rewrite /answers /head /normaliser /uniform.
set q := x ord_max in neg *; set y := target causal self x ord_max in neg *.
set A := attends causal self ord_max in neg *.
set S := \sum_(j | _) K q (x j); set N := \sum_(j | _) _ * _.
have upE : \sum_(j | A j) side true q y (x j) = N - (y%:R + tau) * S.
  rewrite mulr_sumr -sumrB; apply: eq_bigr => j _; rewrite /side; ring.
have downE : \sum_(j | A j) side false q y (x j) = (y%:R - tau) * S - N.
  rewrite mulr_sumr -sumrB; apply: eq_bigr => j _; rewrite /side; ring.
have := neg true; have := neg false; rewrite upE downE !subr_lt0 => gt_N lt_N.
have S_gt0 : 0 < S.
  have := lt_trans gt_N lt_N; rewrite mulrBl mulrDl ltr_add2l.
  by rewrite -subr_gt0 opprK -mulrDl pmulr_rgt0 ?addr_gt0.
by split=> //; rewrite ltr_distl ltr_pdivl_mulr // ltr_pdivr_mulr // gt_N.
Qed.

Lemma free_reduction :
    (forall up q, row_negative n self (side up) q) ->
  solves causal self tau (uniform K : pkernel R m n.+1) (uniform V).
Proof. by move=> neg x; apply: answers_sides => up; apply: level_reduction (neg up _). Qed.

End FreeReduction.

Section Row.
Variables (n tn td : Z) (self : bool).

(* The entries of a row are (level, (K, V)), V over the denominator e. *)
Definition free_gain (up : bool) (e y : Z) (kv : Z * Z) : Z :=
  (kv.1 * ((if up then td * (kv.2 - y * e) else td * (y * e - kv.2)) - tn * e))%bZ.

Definition check_sum (own : Z) (y : nat) (cs : seq (nat * Z)) : bool :=
  let above := [seq tc.2 | tc <- cs & (y <= tc.1)%N] in
  if [seq tc.2 | tc <- cs & tc.1 == y] is x :: xs then
    let rest := ((n - 2) * foldr Z.max x above + own)%bZ in
    all (fun x => x + rest <? 0)%bZ (x :: xs)
  else true.

Definition check_free_row (k : nat) (e : Z) (own : Z * Z) (row : seq (nat * (Z * Z))) : bool :=
  [&& (0 <? e)%bZ, all (fun tkv => 0 <=? tkv.2.1)%bZ row &
      all (fun up =>
             if (n =? 1)%bZ then self && (free_gain up e (Z.of_nat k) own <? 0)%bZ else
             all (fun y => let c := free_gain up e (Z.of_nat y) in
                    check_sum (if self then c own else 0%bZ) y [seq (tkv.1, c tkv.2) | tkv <- row])
                 (iota 0 k.+1))
          [:: true; false]].

Lemma foldr_max_ge x0 s x : x \in s -> (x <= foldr Z.max x0 s)%bZ.
Proof. elim: s => //= x' s IHs; rewrite inE => /predU1P[->|/IHs]; lia. Qed.

Lemma check_sumP (I : Type) (level : I -> nat) (f : I -> Z) own y cs :
    (forall b, (level b, f b) \in cs) -> check_sum own y cs ->
  forall a, level a = y -> exists2 M,
    forall b, (y <= level b)%N -> (f b <= M)%bZ & (f a + (n - 2) * M + own < 0)%bZ.
Proof.
move=> in_cs; rewrite /check_sum; set above := [seq _ | _ <- _ & (y <= _)%N].
case def_l: [seq tc.2 | tc <- cs & tc.1 == y] => [|x xs].
  move=> _ a a_y; suff : f a \in [seq tc.2 | tc <- cs & tc.1 == y] by rewrite def_l.
  by apply/mapP; exists (level a, f a); rewrite // mem_filter in_cs andbT a_y /=.
move=> /allP neg a a_y; exists (foldr Z.max x above) => [b le_b|].
  apply: foldr_max_ge; apply/mapP; exists (level b, f b) => //.
  by rewrite mem_filter in_cs andbT.
suff : f a \in x :: xs by move/neg; lia.
by rewrite -def_l; apply/mapP; exists (level a, f a); rewrite // mem_filter in_cs andbT a_y /=.
Qed.

End Row.

Record free_cert := FreeCert {
  fc_m : nat; fc_n : Z; fc_tn : Z; fc_td : Z; fc_self : bool; fc_signed : bool;
  fc_value : nat; fc_phi : seq (seq Z); fc_psi : seq (seq Z);
  fc_dens : seq Z; fc_values : seq (seq Z) }.

Section Checker.
Variable c : free_cert.
Let m := fc_m c.
Let toks := all_bits m.

Definition free_row (q : seq bool) (f vs : seq Z) : seq (nat * (Z * Z)) :=
  [seq (bdot q apv.1, (zdotprod f apv.2.1, apv.2.2)) | apv <- zip toks (zip (fc_psi c) vs)].

Definition check_free_query (q : seq bool) : bool :=
  let i := index q toks in
  let f := nth [::] (fc_phi c) i in let vs := nth [::] (fc_values c) i in
  (size vs == size toks) &&
  check_free_row (fc_n c) (fc_tn c) (fc_td c) (fc_self c) (count id q) (nth 0%bZ (fc_dens c) i)
    (zdotprod f (nth [::] (fc_psi c) i), nth 0%bZ vs i) (free_row q f vs).

Definition check_free : bool :=
  [&& (0 <? fc_tn c)%bZ, (0 <? fc_td c)%bZ,
      good_table m (fc_value c) (fc_signed c) (fc_phi c),
      good_table m (fc_value c) (fc_signed c) (fc_psi c) & all check_free_query toks].

Section Soundness.
Variable R : realFieldType.
Hypothesis ok : check_free.

Let entry (q a : token m) := factor_entry (fc_phi c) (fc_psi c) q a.
Let K : kernel R m := fun q a => zr R (entry q a).
Let den (q : token m) : Z := nth 0%bZ (fc_dens c) (index (bits q) toks).
Let num (q a : token m) : Z := nth 0%bZ (token_row (fc_values c) q) (index (bits a) toks).
Let V : kernel R m := fun q a => zr R (num q a) / zr R (den q).
Let tau := ztau R (fc_tn c) (fc_td c).

Let row_ok (q : token m) : check_free_query (bits q).
Proof. by have /and5P[_ _ _ _ /allP] := ok; apply; apply: bits_in. Qed.

Let row_in q a : (dot q a, (entry q a, num q a)) \in
  free_row (bits q) (token_row (fc_phi c) q) (token_row (fc_values c) q).
Proof.
have /and5P[_ _ _ /and3P[/eqP size_psi _ _] _] := ok.
have /andP[/eqP] := row_ok q; rewrite -/(token_row _ q); set vs := token_row _ q => size_vs _.
apply/mapP; exists (bits a, (token_row (fc_psi c) a, num q a)); last by rewrite bdot_bits.
have size_z : size (zip (fc_psi c) vs) = size toks by rewrite size_zip size_psi size_vs minnn.
rewrite -[X in (X, _)](nth_index [::] (bits_in a)) -!nth_zip ?size_z ?size_psi //.
by rewrite mem_nth // size_zip size_z minnn index_mem bits_in.
Qed.

Let den_gt0 q : 0 < zr R (den q).
Proof. by have /andP[_ /and3P[den_gt0 _ _]] := row_ok q; apply: zr_gt0. Qed.

Let td_gt0 : 0 < zr R (fc_td c).
Proof. by have /and5P[_ td_gt0 _ _ _] := ok; apply: zr_gt0. Qed.

Let tau_gt0 : 0 < tau.
Proof. by have /and5P[tn_gt0 _ _ _ _] := ok; rewrite divr_gt0 //; apply: zr_gt0. Qed.

Lemma check_free_ge0 q a : 0 <= K q a.
Proof.
have /andP[_ /and3P[_ /allP/(_ _ (row_in q a)) k_ge0 _]] := row_ok q.
exact: zr_ge0.
Qed.

Let gainE up q y a :
  zr R (free_gain (fc_tn c) (fc_td c) up (den q) (Z.of_nat y) (entry q a, num q a)) =
  zr R (fc_td c) * zr R (den q) * side tau K V up q y a.
Proof.
rewrite /free_gain /side /= -/(entry q a).
have tnE : zr R (fc_tn c) = zr R (fc_td c) * tau by rewrite /tau /ztau mulrC divfK ?gt_eqF.
have numE : zr R (num q a) = zr R (den q) * V q a by rewrite /V mulrC divfK ?gt_eqF.
by case: up; rewrite zrM zrB !zrM zrB zrM tnE numE zr_nat -/(K q a); ring.
Qed.

Theorem check_free_solves n causal : fc_n c = Z.of_nat n.+1 ->
  solves causal (fc_self c) tau (uniform K : pkernel R m n.+1) (uniform V).
Proof.
move=> n_eq; apply: free_reduction => // up q.
have /andP[_ /and3P[_ _ /allP/(_ up)]] := row_ok q.
have -> : up \in [:: true; false] by case: up.
rewrite n_eq -(@card_tok m) ?size_bits // bitsK => /(_ isT).
have scale_gt0 : 0 < zr R (fc_td c) * zr R (den q) by rewrite mulr_gt0.
rewrite /row_negative -/(den q) -/(entry q q) -/(num q q); case: n {n_eq} => [|n].
  by case/andP=> -> gain_lt0; split=> //; rewrite -(pmulr_rlt0 _ scale_gt0) -gainE (zr_ltE R _ 0).
have -> : (Z.of_nat n.+2 =? 1)%bZ = false by lia.
move=> /allP test a; have /(test (dot q a)) : dot q a \in iota 0 #|q|.+1.
  by rewrite mem_iota ltnS dot_le.
set own := (if _ then _ else _); set cs := map _ _ => sum_ok.
pose f b := free_gain (fc_tn c) (fc_td c) up (den q) (Z.of_nat (dot q a)) (entry q b, num q b).
have cs_in b : (dot q b, f b) \in cs.
  by apply/mapP; exists (dot q b, (entry q b, num q b)); rewrite ?row_in.
have [M M_ge sum_lt0] := check_sumP cs_in sum_ok (erefl (dot q a)).
exists (zr R M / (zr R (fc_td c) * zr R (den q))) => [b /M_ge M_ge_b|].
  by rewrite ler_pdivl_mulr // mulrC -gainE zr_leE; apply/Z.leb_le.
rewrite -(pmulr_rlt0 _ scale_gt0); move: sum_lt0 => /Z.ltb_lt; rewrite -(zr_ltE R) zr0.
rewrite !zrD zrM gainE; have -> : (Z.of_nat n.+2 - 2)%bZ = Z.of_nat n by lia.
rewrite zr_nat; congr (_ < 0); rewrite [RHS]mulrDr [X in _ = X + _]mulrDr; congr (_ + _ + _).
  by rewrite [RHS]mulrCA [X in _ = _ * X]mulrC divfK ?gt_eqF.
by rewrite /own; case: (fc_self c); rewrite ?gainE ?mulr0.
Qed.

End Soundness.

Theorem check_free_sound n : check_free -> fc_n c = Z.of_nat n ->
  upper_bound_free m n (fc_tn c) (fc_td c) (fc_self c) (fc_signed c) (fc_value c).
Proof.
move=> ok n_eq R causal n' def_n; rewrite def_n in n_eq.
have /and5P[_ _ phi_ok psi_ok _] := ok.
exists (fun q a => zr R (factor_entry (fc_phi c) (fc_psi c) q a)).
exists (fun q a => zr R (nth 0%bZ (token_row (fc_values c) q) (index (bits a) toks)) /
                   zr R (nth 0%bZ (fc_dens c) (index (bits q) toks))).
split; first exact: check_free_ge0; first exact: check_free_solves.
exact: factor_features phi_ok psi_ok.
Qed.

End Checker.
