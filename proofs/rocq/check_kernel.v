(******************************************************************************)
(* Kernel certificates: a checker for K = phi psi^T, and its soundness.       *)
(*   level_reduction : all sequences, from the levels of each row             *)
(*   check_kernel    : the checker (integers; rows may be scaled at will)     *)
(*   check_kernel_sound : check_kernel c = true -> upper_bound                *)
(*   check_expanded  : K = x^t, x = xn/xd, with 2^m features (C3)             *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay constructions products check_base.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section LevelReduction.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variable K : kernel R m.
Hypothesis n_gt0 : (0 < n)%N.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis K_ge0 : forall q a, 0 <= K q a.
Hypothesis levels : forall q a : token m, exists2 M : R,
  forall b, (dot q a <= dot q b)%N -> K q b * ((dot q b)%:R - (dot q a)%:R - tau) <= M &
  K q a * - tau + n.-1%:R * M +
  (if self then K q q * (#|q|%:R - (dot q a)%:R - tau) else 0) < 0.

Lemma level_reduction : solves causal self tau (uniform K : pkernel R m n.+1) inner.
Proof.
move=> x; apply/answers_linear => //.
set q := x ord_max; have ord0_neq : (ord0 : 'I_n.+1) != ord_max.
  by rewrite -val_eqE /= eq_sym -lt0n.
case: (@arg_minnP _ ord0 (fun j : 'I_n.+1 => j != ord_max) (fun j => dot q (x j)) ord0_neq).
move=> i i_neq i_min; have [M M_ge] := levels q (x i).
have -> : target causal self x ord_max = dot q (x i).
  apply: target_eq => [|j]; first by rewrite attends_final i_neq orbT.
  have [->|] := eqVneq j ord_max; first by rewrite dotxx dot_le.
  by move=> /i_min.
apply: le_lt_trans; rewrite sum_attends (bigD1 i) //= -/q /uniform dotxx.
rewrite subrr sub0r ler_add2r ler_add2l mulr_natl -(sum_others_const M i_neq).
by apply: ler_sum => j /andP[/i_min le_ij _]; apply: M_ge.
Qed.

End LevelReduction.

Record kernel_cert := KernelCert {
  kc_m : nat; kc_n : Z; kc_tn : Z; kc_td : Z; kc_self : bool; kc_signed : bool;
  kc_value : nat; kc_phi : seq (seq Z); kc_psi : seq (seq Z) }.

Section Checker.
Variable c : kernel_cert.
Let m := kc_m c.
Let toks := all_bits m.

Definition zdotprod (f p : seq Z) : Z :=
  foldr (fun fp s => (fp.1 * fp.2 + s)%bZ) 0%bZ (zip f p).

(* The contribution, times the denominator of tau, of a token of inner        *)
(* product t and kernel value k when the target is y.                         *)
Definition contribution (y : Z) (tk : Z * Z) : Z :=
  (tk.2 * (kc_td c * (tk.1 - y) - kc_tn c))%bZ.

(* One target y of one row: e.g. t(q,q) and K(q,q) in [own]. *)
Definition check_level (own : Z * Z) (row : seq (Z * Z)) (y : Z) : bool :=
  let all_above := [seq contribution y tk | tk <- row & (y <=? tk.1)%bZ] in
  let level := [seq contribution y tk | tk <- row & (y =? tk.1)%bZ] in
  if level is e0 :: _ then
    let M := foldr Z.max e0 all_above in
    let rest := ((kc_n c - 2) * M +
                 (if kc_self c then contribution y own else 0))%bZ in
    all (fun e => (e + rest <? 0)%bZ) level
  else true.

Definition check_row (row : seq (Z * Z)) (own : Z * Z) : bool :=
  all (fun tk => (0 <=? tk.2)%bZ) row &&
  all (fun y => check_level own row (Z.of_nat y)) (iota 0 m.+1).

Definition kernel_row (q : seq bool) (f : seq Z) : seq (Z * Z) :=
  [seq (zdot q ap.1, zdotprod f ap.2) | ap <- zip toks (kc_psi c)].

Definition check_kernel : bool :=
  [&& (2 <=? kc_n c)%bZ, (0 <? kc_tn c)%bZ, (0 <? kc_td c)%bZ,
      size (kc_phi c) == size toks, size (kc_psi c) == size toks,
      all (fun f => size f == kc_value c) (kc_phi c),
      all (fun p => size p == kc_value c) (kc_psi c),
      kc_signed c || (all (all (Z.leb 0)) (kc_phi c) && all (all (Z.leb 0)) (kc_psi c)) &
      all (fun qfp => check_row (kernel_row qfp.1 qfp.2.1)
                        (zdot qfp.1 qfp.1, zdotprod qfp.2.1 qfp.2.2))
          (zip toks (zip (kc_phi c) (kc_psi c)))].

Section Soundness.
Variable R : realFieldType.
Hypothesis ok : check_kernel.

Let D := kc_value c.
Let feat (tab : seq (seq Z)) (a : token m) : 'rV[R]_D :=
  \row_k zr R (nth 0%bZ (nth [::] tab (index (bits a) toks)) k).

Let K : kernel R m := fun q a => (feat (kc_phi c) q *m (feat (kc_psi c) a)^T) 0 0.

Let zK (q a : token m) : Z :=
  zdotprod (nth [::] (kc_phi c) (index (bits q) toks))
           (nth [::] (kc_psi c) (index (bits a) toks)).

Lemma zdotprodE f p : size f = D -> size p = D ->
  zr R (zdotprod f p) = \sum_(k < D) zr R (nth 0%bZ f k) * zr R (nth 0%bZ p k).
Proof.
elim: D f p => [|d IHd] [|x f] [|y p] //= => [_ _|[size_f] [size_p]].
  by rewrite big_ord0.
by rewrite big_ord_recl /= zrD zrM IHd.
Qed.

Let idx_lt (a : token m) : (index (bits a) toks < size toks)%N.
Proof. by rewrite index_mem bits_in. Qed.

Let KE q a : K q a = zr R (zK q a).
Proof.
have /and5P[_ _ _ /eqP s1 /and5P[/eqP s2 f1 f2 _ _]] := ok.
rewrite /K /zK zdotprodE; first 1 last.
- by apply/eqP; apply: (allP f1); rewrite mem_nth // s1 idx_lt.
- by apply/eqP; apply: (allP f2); rewrite mem_nth // s2 idx_lt.
by rewrite mxE; apply: eq_bigr => k _; rewrite !mxE.
Qed.

Let row_of (q : token m) := kernel_row (bits q) (nth [::] (kc_phi c) (index (bits q) toks)).

Let row_mem q a : (Z.of_nat (dot q a), zK q a) \in row_of q.
Proof.
have /and5P[_ _ _ _ /and5P[/eqP s2 _ _ _ _]] := ok.
apply/mapP; exists (bits a, nth [::] (kc_psi c) (index (bits a) toks)).
  rewrite -[X in (X, _)](nth_index [::] (bits_in a)) -nth_zip //.
  by rewrite mem_nth // size_zip s2 minnn idx_lt.
by rewrite /= (@zdotE m) ?size_bits // !bitsK.
Qed.

Let row_ok q : check_row (row_of q) (Z.of_nat (dot q q), zK q q).
Proof.
have /and5P[_ _ _ /eqP s1 /and5P[/eqP s2 _ _ _ /allP rows]] := ok.
have := rows (bits q, (nth [::] (kc_phi c) (index (bits q) toks),
                       nth [::] (kc_psi c) (index (bits q) toks))).
rewrite /= (@zdotE m) ?size_bits // !bitsK; apply.
rewrite -[X in (X, _)](nth_index [::] (bits_in q)) -!nth_zip ?s1 ?s2 //.
  by rewrite mem_nth // !size_zip s1 s2 !minnn idx_lt.
by rewrite size_zip s1 s2 minnn.
Qed.

Let td_gt0 : 0 < zr R (kc_td c).
Proof. by have /and5P[_ _ td _ _] := ok; rewrite zr_gt0. Qed.

Let tau := ztau R (kc_tn c) (kc_td c).

Let tau_gt0 : 0 < tau.
Proof.
have /and5P[_ tn _ _ _] := ok; rewrite divr_gt0 //.
exact: zr_gt0.
Qed.

Let contributionE y t k :
  zr R (contribution (Z.of_nat y) (Z.of_nat t, k)) =
  zr R (kc_td c) * (zr R k * (t%:R - y%:R - tau)).
Proof.
rewrite /contribution /= zrM zrB zrM zrB !zr_nat.
have -> : zr R (kc_tn c) = zr R (kc_td c) * tau.
  by rewrite /tau /ztau mulrC divfK ?gt_eqF.
ring.
Qed.

Lemma check_kernel_ge0 q a : 0 <= K q a.
Proof.
have /andP[/allP/(_ _ (row_mem q a))] := row_ok q; rewrite /= KE => k_ge0 _.
exact: zr_ge0.
Qed.

Lemma foldr_max_ge e0 s e : e \in s -> (e <= foldr Z.max e0 s)%bZ.
Proof.
elim: s => //= x s IHs; rewrite inE => /predU1P[->|/IHs]; lia.
Qed.

Theorem check_kernel_solves n causal : kc_n c = Z.of_nat n.+1 ->
  solves causal (kc_self c) tau (uniform K : pkernel R m n.+1) inner.
Proof.
move=> n_eq; have n_gt0 : (0 < n)%N.
  by have /andP[n_ge2 _] := ok; move: n_ge2; rewrite n_eq; lia.
apply: level_reduction => // [q a|q a]; first exact: check_kernel_ge0.
have /andP[_ /allP/(_ (dot q a))] := row_ok q.
rewrite mem_iota ltnS dot_leq_m => /(_ isT); rewrite /check_level.
set y := Z.of_nat (dot q a); set above := [seq _ | tk <- _ & (y <=? tk.1)%bZ].
set level := [seq _ | tk <- _ & (y =? tk.1)%bZ].
have in_level : contribution y (y, zK q a) \in level.
  by apply: map_f; rewrite mem_filter row_mem andbT /= Z.eqb_refl.
case def_level: level => [|e0 es]; first by rewrite def_level in in_level.
rewrite -def_level => /allP/(_ _ in_level).
set M := foldr _ _ _ => sum_lt0; exists (zr R M / zr R (kc_td c)).
  move=> b le_ab; rewrite ler_pdivl_mulr // mulrC KE -contributionE.
  rewrite zr_leE; apply/Z.leb_le; apply: foldr_max_ge; apply: map_f.
  by rewrite mem_filter row_mem andbT /=; apply/Z.leb_le; rewrite /y; lia.
rewrite -(pmulr_rlt0 _ td_gt0); move: sum_lt0; rewrite -(zr_ltE R) zr0.
congr (_ < 0); rewrite !zrD zrM contributionE subrr sub0r KE.
have -> : zr R (kc_n c - 2)%bZ = n.-1%:R.
  by rewrite n_eq (_ : (_ - 2)%bZ = Z.of_nat n.-1) ?zr_nat //; lia.
rewrite [zr R (if _ then _ else _)](_ : _ = zr R (kc_td c) *
   (if kc_self c then K q q * (#|q|%:R - (dot q a)%:R - tau) else 0)); last first.
  by case: (kc_self c); rewrite ?contributionE ?dotxx ?KE // mulr0.
rewrite !mulrDr addrA; congr (_ + _ + _).
by rewrite mulrCA [zr R _ * (_ / _)]mulrC divfK ?gt_eqF.
Qed.

End Soundness.

Theorem check_kernel_sound n : check_kernel -> kc_n c = Z.of_nat n ->
  upper_bound m n (kc_tn c) (kc_td c) (kc_self c) (kc_signed c) (kc_value c).
Proof.
move=> ok n_eq R causal n' def_n; rewrite def_n in n_eq.
pose feat (tab : seq (seq Z)) (a : token m) : 'rV[R]_(kc_value c) :=
  \row_k zr R (nth 0%bZ (nth [::] tab (index (bits a) toks)) k).
exists (fun q a => (feat (kc_phi c) q *m (feat (kc_psi c) a)^T) 0 0); split.
- exact: check_kernel_ge0.
- exact: check_kernel_solves.
have /and5P[_ _ _ /eqP s1 /and5P[/eqP s2 f1 f2 nn _]] := ok.
case: (kc_signed c) nn => /= [_|/andP[nn1 nn2]].
  by exists (feat (kc_phi c)), (feat (kc_psi c)).
have feat_ge0 tab a k : all (all (Z.leb 0)) tab -> 0 <= feat tab a 0 k.
  move=> /allP nn; rewrite mxE; apply: zr_ge0.
  have [a_lt|a_ge] := ltnP (index (bits a) toks) (size tab); last first.
    by rewrite (nth_default _ a_ge) nth_nil.
  have /allP nn' := nn _ (mem_nth [::] a_lt).
  have [k_lt|k_ge] := ltnP k (size (nth [::] tab (index (bits a) toks))).
    exact: nn' (mem_nth 0%bZ k_lt).
  by rewrite (nth_default _ k_ge).
exists (feat (kc_phi c)), (feat (kc_psi c)).
by split=> [q k|a k|q a]; rewrite ?feat_ge0.
Qed.

End Checker.
