(******************************************************************************)
(* Independence certificates (L8), for kernels that do not depend on the      *)
(* position.                                                                  *)
(*   shorter_sequences : L6; the linear inequality holds for every sequence   *)
(*                       with at most as many competitors                     *)
(*   closure == the sign patterns that arise from given ones under moves of   *)
(*              the queries and a global sign                                 *)
(*   check_independence, check_independence_sound : lower_bound_uniform; the  *)
(*              patterns of the certificate and its symmetries cover all      *)
(******************************************************************************)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify ssrZ ring.
From KattnBounds Require Import defs rates decay constructions independence symmetry.
From KattnBounds Require Import check_base check_tries.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* L6. *)
Section Shorter.
Variables (R : realFieldType) (m n : nat) (causal self : bool) (tau : R).
Variable K : kernel R m.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis K_ge0 : forall q a, 0 <= K q a.
Hypothesis solK : solves causal self tau (uniform K : pkernel R m n.+1) inner.

Definition least (q : token m) (xs : seq (token m)) : nat :=
  foldr minn #|q| [seq dot q x | x <- xs].

Definition term (q : token m) (y : nat) (x : token m) : R :=
  K q x * ((dot q x)%:R - y%:R - tau).

Lemma least_le q xs x : x \in xs -> (least q xs <= dot q x)%N.
Proof.
elim: xs => //= z xs IHxs; rewrite inE => /predU1P[->|/IHxs]; first exact: geq_minl.
by apply: leq_trans; apply: geq_minr.
Qed.

Lemma least_attained q xs : xs != [::] -> exists2 x, x \in xs & dot q x = least q xs.
Proof.
elim: xs => // z xs IHxs _; rewrite /least /=; case: leqP => le_z.
  by exists z; rewrite ?mem_head.
have [xs0|xs_neq] := eqVneq xs [::].
  by move: le_z; rewrite xs0 /= ltnNge dot_le.
by have [x x_in x_eq] := IHxs xs_neq; exists x; rewrite // inE x_in orbT.
Qed.

Theorem shorter_sequences q xs : xs != [::] -> (size xs <= n)%N ->
  \sum_(x <- xs) term q (least q xs) x +
  (if self then term q (least q xs) q else 0) < 0.
Proof.
move=> xs_neq xs_size; set y := least q xs.
have [x0 x0_in x0_y] := least_attained q xs_neq.
have xs_gt0 : (0 < size xs)%N by rewrite lt0n size_eq0.
have [/allP neg|] := boolP (all (fun x => term q y x < 0) (q :: xs)).
  apply: (@lt_le_trans _ _ (if self then term q y q else 0)).
    rewrite -[X in _ < X]add0r ltr_add2r; clear x0 x0_in x0_y xs_gt0 xs_size.
    have {neg} neg x : x \in xs -> term q y x < 0 by move=> x_in; apply: neg; rewrite inE x_in orbT.
    case: xs @y xs_neq neg => // x xs y _ neg; rewrite big_cons ltr_naddr ?neg ?mem_head //.
    by rewrite big_seq; apply: sumr_le0 => z z_in; rewrite ltW // neg // inE z_in orbT.
  by case: self => //; rewrite ltW // neg ?mem_head.
case/allPn => b b_in; rewrite -leNgt => b_ge0.
have dot_b : (y <= dot q b)%N.
  move: b_in; rewrite inE => /predU1P[->|]; last exact: least_le.
  by rewrite dotxx (leq_trans _ (dot_le q x0)) // x0_y.
pose s : sequence m n.+1 := fun j => if j == ord_max then q else nth b xs j.
have s_last : s ord_max = q by rewrite /s eqxx.
have /answers_linear := solK s; move=> /(_ tau_gt0 (fun j => K_ge0 _ _)).
have -> : target causal self s ord_max = y.
  have i_lt : (index x0 xs < n.+1)%N by rewrite ltnS (leq_trans _ xs_size) // ltnW // index_mem.
  have i_neq : Ordinal i_lt != ord_max.
    by rewrite -val_eqE /= neq_ltn (leq_trans _ xs_size) // index_mem.
  have s_i : s (Ordinal i_lt) = x0 by rewrite /s (negbTE i_neq) /= nth_index.
  rewrite /y -x0_y -s_i -[in RHS]s_last; apply: target_eq => [|j _].
    by rewrite attends_final i_neq orbT.
  rewrite s_last s_i x0_y /s; case: ifP => _.
    by rewrite dotxx (leq_trans _ (dot_le q x0)) // x0_y.
  by have [j_lt|j_ge] := ltnP j (size xs); [rewrite least_le ?mem_nth | rewrite nth_default].
rewrite sum_attends s_last.
have -> : \sum_(j < n.+1 | j != ord_max)
    uniform K ord_max j q (s j) * ((dot q (s j))%:R - y%:R - tau) =
    \sum_(x <- xs) term q y x + (n - size xs)%N%:R * term q y b.
  rewrite big_mkcond big_ord_recr /= eqxx addr0.
  rewrite (eq_bigr (fun j : 'I_n => term q y (nth b xs j))) => [|j _]; last first.
    have ne : widen_ord (leqnSn n) j != ord_max by rewrite -val_eqE /= neq_ltn ltn_ord.
    by rewrite ne /s (negbTE ne).
  transitivity (\sum_(0 <= j < n) term q y (nth b xs j)); first by rewrite big_mkord.
  rewrite (big_cat_nat _ _ _ (leq0n (size xs)) xs_size) /=; congr (_ + _).
    by rewrite [in RHS](big_nth b).
  rewrite big_nat (eq_bigr (fun=> term q y b)) => [|j /andP[j_ge _]]; last first.
    by rewrite nth_default.
  by rewrite -big_nat sumr_const_nat mulr_natl.
apply: le_lt_trans; rewrite addrAC ler_addl.
by rewrite mulr_ge0 ?ler0n.
Qed.

End Shorter.

(* Formal sums of tokens given by bits. *)
Definition coef (l : seq (seq bool * Z)) (b : seq bool) : Z :=
  foldr (fun p z => if p.1 == b then (p.2 + z)%bZ else z) 0%bZ l.

Lemma tokK m s : size s = m -> bits (tok m s) = s.
Proof.
move=> size_s; apply: (@eq_from_nth _ false); rewrite size_bits // => i i_lt.
rewrite (nth_map (Ordinal i_lt)) ?size_enum_ord // inE.
have -> // : nth (Ordinal i_lt) (enum 'I_m) i = Ordinal i_lt.
exact: nth_ord_enum (Ordinal i_lt) (Ordinal i_lt).
Qed.

Lemma coef_sum (R : realFieldType) m (f : token m -> R) l :
    all (fun p => size p.1 == m) l ->
  \sum_a f a * zr R (coef l (bits a)) = \sum_(p <- l) zr R p.2 * f (tok m p.1).
Proof.
elim: l => [_|[x z] l IHl /= /andP[/eqP size_x /IHl {IHl} IHl]].
  by rewrite big_nil big1 // => a _; rewrite mulr0.
rewrite big_cons -IHl (bigD1 (tok m x)) //= [in RHS](bigD1 (tok m x)) //=.
rewrite tokK // eqxx zrD mulrDr addrA [zr R z * _]mulrC; congr (_ + _).
apply: eq_bigr => a a_neq; case: eqP => // x_eq; case/negP: a_neq.
by rewrite x_eq bitsK.
Qed.

Lemma least_zmin m q comp : size q = m -> all (fun x => size x == m) comp ->
  foldr Z.min (zcount q) [seq zdot q x | x <- comp] =
  Z.of_nat (least (tok m q) [seq tok m x | x <- comp]).
Proof.
move=> size_q; elim: comp => [_|x comp IHc /= /andP[/eqP size_x /IHc->]].
  by rewrite (zcount_card size_q).
by rewrite (zdotE size_q size_x) /least /=; set u := foldr _ _ _; lia.
Qed.

Record pattern_cert := PatternCert {
  pc_signs : seq bool;                        (* true for minus *)
  pc_v : seq (seq bool * Z);
  pc_rows : seq (Z * seq (Z * seq (seq bool))) }.  (* scale, multipliers *)

(* A symmetry lists, for every coordinate of the image, where it comes from. *)
Record independence_cert := IndependenceCert {
  ic_m : nat; ic_n : Z; ic_tn : Z; ic_td : Z; ic_self : bool; ic_value : Z;
  ic_queries : seq (seq bool); ic_symmetry : seq (seq nat);
  ic_patterns : seq pattern_cert }.

(* The patterns that arise from others by moves of the queries and a global   *)
(* sign; the fuel bounds the number of patterns that are looked at.           *)
Section Closure.
Variable moves : seq (seq nat).

Definition canon (s : seq bool) : seq bool := if nth false s 0 then map negb s else s.

Definition moved (s : seq bool) (r : seq nat) : seq bool := [seq nth false s i | i <- r].

Fixpoint closure (fuel : nat) (todo : seq (seq bool)) (seen : trie bool) : trie bool :=
  match fuel, todo with
  | fuel'.+1, s :: todo' =>
      let t := canon s in
      if tget false seen t then closure fuel' todo' seen
      else closure fuel' ([seq moved t r | r <- moves] ++ todo')
                   (tput false (fun=> true) t seen)
  | _, _ => seen
  end.

Variable good : seq bool -> Prop.
Hypothesis good_canon : forall s, good s -> good (canon s).
Hypothesis good_moved : forall s r, r \in moves -> good s -> good (moved s r).

Lemma closure_good fuel todo seen :
    (forall s, s \in todo -> good s) -> (forall s, tget false seen s -> good s) ->
  forall s, tget false (closure fuel todo seen) s -> good s.
Proof.
elim: fuel todo seen => [|fuel IHf] [|s todo] seen //= good_todo good_seen.
have good_s : good (canon s) by apply/good_canon/good_todo; rewrite mem_head.
have good_rest t : t \in todo -> good t by move=> t_in; apply: good_todo; rewrite inE t_in orbT.
case: ifP => _; apply: IHf => // t; last by rewrite tget_put; case: eqP => [->|_ /good_seen].
by rewrite mem_cat => /orP[/mapP[r r_in ->]|/good_rest//]; apply: good_moved.
Qed.

End Closure.

Section Check.
Variable c : independence_cert.
Let m := ic_m c.

(* The vector of a sequence (competitors, then the query) or of a token. *)
Definition constraint (q : seq bool) (Ms : Z * seq (seq bool)) : seq (seq bool * Z) :=
  if Ms.2 is [:: a] then [:: (a, Ms.1)] else
  let comp := take (size Ms.2).-1 Ms.2 in
  let y := foldr Z.min (zcount q) [seq zdot q x | x <- comp] in
  [seq (x, (- Ms.1 * (ic_td c * (zdot q x - y) - ic_tn c))%bZ)
     | x <- comp ++ (if ic_self c then [:: q] else [::])].

Definition constraint_ok (q : seq bool) (Ms : Z * seq (seq bool)) : bool :=
  [&& (0 <? Ms.1)%bZ, all (fun x => size x == m) Ms.2, (0 < size Ms.2)%N,
      (Z.of_nat (size Ms.2) <=? ic_n c)%bZ & (size Ms.2 == 1)%N || (last [::] Ms.2 == q)].

Definition row_ok (v : seq (seq bool * Z)) (q : seq bool) (minus : bool)
    (row : Z * seq (Z * seq (seq bool))) : bool :=
  let l := flatten [seq constraint q Ms | Ms <- row.2] in
  let scale := if minus then row.1 else (- row.1)%bZ in
  [&& (0 <? row.1)%bZ, all (constraint_ok q) row.2, has (fun Ms => (1 < size Ms.2)%N) row.2
    & sum_zero id ([seq (p.1, (scale * p.2)%bZ) | p <- v] ++ l)].

Definition pattern_ok (p : pattern_cert) : bool :=
  [&& size (pc_signs p) == size (ic_queries c), size (pc_rows p) == size (ic_queries c),
      all (fun p => size p.1 == m) (pc_v p) &
      all (fun qsr => row_ok (pc_v p) qsr.1 qsr.2.1 qsr.2.2)
        (zip (ic_queries c) (zip (pc_signs p) (pc_rows p)))].

(* The image of a token, and how a symmetry moves the queries. *)
Definition pull (g : seq nat) (q : seq bool) : seq bool := [seq nth false q i | i <- g].

Definition query_move (g : seq nat) : seq nat :=
  [seq index (pull g q) (ic_queries c) | q <- ic_queries c].

Definition symmetry_ok (g : seq nat) : bool :=
  [&& size g == m, uniq g, all (fun i => i < m)%N g &
      all (fun q => pull g q \in ic_queries c) (ic_queries c)].

Definition covered : trie bool :=
  closure [seq query_move g | g <- ic_symmetry c]
    ((size (ic_symmetry c)).+1 * 2 ^ (size (ic_queries c)) + size (ic_patterns c))
    [seq pc_signs p | p <- ic_patterns c] (Leaf _).

Definition setting_ok : bool :=
  [&& (0 <? ic_tn c)%bZ, (0 <? ic_td c)%bZ & all (fun q => size q == m) (ic_queries c)].

Definition check_independence : bool :=
  [&& setting_ok, (ic_value c <=? Z.of_nat (size (ic_queries c)))%bZ,
      all pattern_ok (ic_patterns c), all symmetry_ok (ic_symmetry c)
    & let t := covered in
      all (fun s => tget false t (canon s)) (all_bits (size (ic_queries c)))].

Section Rows.
Hypothesis ok : setting_ok.
Variables (R : realFieldType) (causal : bool) (n : nat) (K : kernel R m).
Hypothesis n_eq : ic_n c = Z.of_nat n.+1.
Hypothesis K_ge0 : forall q a, 0 <= K q a.
Let tau := ztau R (ic_tn c) (ic_td c).
Hypothesis solK : solves causal (ic_self c) tau (uniform K : pkernel R m n.+1) inner.

Let value q l : R := formal (fun x => K (tok m q) (tok m x)) l.

Lemma constraint_value q Ms : size q = m -> constraint_ok q Ms ->
  0 <= value q (constraint q Ms) /\
  ((1 < size Ms.2)%N -> 0 < value q (constraint q Ms)).
Proof.
have /and3P[tn_gt0 td_gt0 _] := ok.
have ztd_gt0 := zr_gt0 R td_gt0.
have tau_gt0 : 0 < tau by rewrite divr_gt0 // zr_gt0.
case: Ms => M s size_q /and5P[/= M_gt0 /allP sizes s_gt0 s_le s_last].
have zM_gt0 := zr_gt0 R M_gt0.
case: s sizes s_gt0 s_le s_last => // a [|b s'] sizes _ s_le s_last.
  by rewrite /value /constraint /= /formal big_seq1 mulr_ge0 // ltW.
set s := a :: b :: s' in sizes s_le s_last *.
suff pos : 0 < value q (constraint q (M, s)) by split=> [|_ //]; exact: ltW.
pose comp := take (size s').+1 s.
have -> : constraint q (M, s) = [seq (x, (- M * (ic_td c * (zdot q x -
    foldr Z.min (zcount q) [seq zdot q z | z <- comp]) - ic_tn c))%bZ)
    | x <- comp ++ (if ic_self c then [:: q] else [::])] by [].
have comp_sub x : x \in comp -> x \in s by move=> /mem_take.
have size_comp : all (fun x => size x == m) comp by apply/allP => x /comp_sub/sizes.
rewrite (least_zmin size_q size_comp); set y := least _ _.
have short : (size [seq tok m x | x <- comp] <= n)%N.
  rewrite size_map /comp size_takel; last exact: leqnSn.
  by move: s_le; rewrite n_eq /=; clear; lia.
have comp_neq : [seq tok m x | x <- comp] != [::] by [].
have := shorter_sequences tau_gt0 K_ge0 solK (tok m q) comp_neq short.
rewrite -/y => lin.
have termE x : size x = m ->
    zr R (- M * (ic_td c * (zdot q x - Z.of_nat y) - ic_tn c))%bZ * K (tok m q) (tok m x) =
    - (zr R M * zr R (ic_td c)) * term tau K (tok m q) y (tok m x).
  move=> size_x; rewrite (zdotE size_q size_x) zrM zrN zrB zrM zrB !zr_nat /term.
  have -> : zr R (ic_tn c) = zr R (ic_td c) * tau by rewrite /tau mulrC divfK ?gt_eqF.
  ring.
rewrite /value /formal big_map big_cat /=.
rewrite big_seq (eq_bigr (fun x => - (zr R M * zr R (ic_td c)) *
    term tau K (tok m q) y (tok m x))) => [|x x_in]; last first.
  by apply: termE; apply/eqP/(allP size_comp).
rewrite -big_seq -mulr_sumr -(big_map (tok m) xpredT (term tau K (tok m q) y)).
have -> : \sum_(i <- (if ic_self c then [:: q] else [::]))
    zr R (- M * (ic_td c * (zdot q i - Z.of_nat y) - ic_tn c))%bZ * K (tok m q) (tok m i) =
    - (zr R M * zr R (ic_td c)) *
    (if ic_self c then term tau K (tok m q) y (tok m q) else 0).
  by case: (ic_self c); rewrite ?big_nil ?mulr0 // big_seq1 termE.
by rewrite -mulrDr nmulr_rgt0 // oppr_lt0 mulr_gt0.
Qed.

Lemma value_flatten q (mults : seq (Z * seq (seq bool))) : size q = m ->
    all (constraint_ok q) mults -> has (fun Ms => (1 < size Ms.2)%N) mults ->
  0 < value q (flatten [seq constraint q Ms | Ms <- mults]).
Proof.
move=> size_q; have nonneg_rest ms : all (constraint_ok q) ms ->
    0 <= value q (flatten [seq constraint q Ms | Ms <- ms]).
  elim: ms => [_|Ms ms IHms /= /andP[ok_Ms /IHms ge0]]; first by rewrite /value /formal big_nil.
  rewrite /value formal_cat addr_ge0 //; exact: (constraint_value size_q ok_Ms).1.
elim: mults => //= Ms ms IHms /andP[ok_Ms ok_ms] /orP[big_Ms|has_ms].
  rewrite /value formal_cat ltr_paddr //; first exact: nonneg_rest.
  exact: (constraint_value size_q ok_Ms).2.
rewrite /value formal_cat ltr_paddl ?IHms //.
exact: (constraint_value size_q ok_Ms).1.
Qed.

Lemma row_positive v q minus row : size q = m ->
    all (fun p => size p.1 == m) v -> row_ok v q minus row ->
  0 < (-1) ^+ minus * \sum_a K (tok m q) a * zr R (coef v (bits a)).
Proof.
move=> size_q size_v /and4P[a_gt0 ok_row has_seq zero]; rewrite (coef_sum _ size_v).
rewrite -/(formal _ v) -/(value q v).
have := sum_zeroP (fun x => K (tok m q) (tok m x)) zero.
rewrite formal_cat formal_scale -!/(value q _) => /eqP; rewrite addr_eq0 => /eqP sum0.
have l_gt0 := value_flatten size_q ok_row has_seq.
rewrite -(pmulr_rgt0 _ (zr_gt0 R a_gt0)); move: l_gt0; rewrite -oppr_lt0 -sum0 -oppr_gt0.
case: minus {zero sum0} => /=; first by rewrite expr1 mulN1r mulrN.
by rewrite expr0 mul1r zrN mulNr opprK.
Qed.

Lemma pattern_separated p : pattern_ok p ->
  separated K (fun i : 'I_(size (ic_queries c)) => tok m (nth [::] (ic_queries c) i))
    (fun i => nth false (pc_signs p) i).
Proof.
case/and4P=> /eqP size_s /eqP size_r size_v rows; have /and3P[_ _ sizes] := ok.
exists (fun a => zr R (coef (pc_v p) (bits a))) => i.
have := all_nthP ([::], (false, (0%bZ, [::]))) rows i.
rewrite !size_zip size_s size_r !minnn ltn_ord => /(_ isT).
rewrite !nth_zip ?size_zip ?size_s ?size_r ?minnn //=.
by apply: row_positive => //; apply/eqP/(allP sizes)/mem_nth.
Qed.

End Rows.

Section Patterns.
Variables (R : realFieldType) (causal : bool) (n : nat).
Hypothesis n_eq : ic_n c = Z.of_nat n.+1.
Hypothesis ok : check_independence.

Let N := size (ic_queries c).
Let q (i : 'I_N) := tok m (nth [::] (ic_queries c) i).

Definition solving (K : kernel R m) : Prop :=
  (forall q a, 0 <= K q a) /\
  solves causal (ic_self c) (ztau R (ic_tn c) (ic_td c)) (uniform K : pkernel R m n.+1) inner.

(* In every solving kernel the rows of the queries are separated. *)
Definition good (s : seq bool) : Prop :=
  size s = N /\ forall K, solving K -> separated K q (fun i => nth false s i).

Lemma good_canon s : good (canon s) <-> good s.
Proof.
rewrite /canon; case: ifP => // _; rewrite /good size_map.
have flip (K : kernel R m) u : size u = N ->
    separated K q (fun i => nth false u i) -> separated K q (fun i => nth false (map negb u) i).
  move=> size_u [v v_gt0]; exists (fun a => - v a) => i.
  rewrite (nth_map false) ?size_u // signrN (eq_bigr (fun a => - (K (q i) a * v a))).
    by rewrite sumrN mulrNN.
  by move=> a _; rewrite mulrN.
split=> -[size_s sep]; split=> // K /sep; last exact: flip.
rewrite -[in X in _ -> X](mapK negbK s); apply: flip.
by rewrite size_map.
Qed.

Lemma good_moved g s : symmetry_ok g -> good s -> good (moved s (query_move g)).
Proof.
case/and4P=> /eqP size_g uniq_g g_lt closed [size_s sep]; split; first by rewrite !size_map.
move=> K [K_ge0 solK].
have g_lt' (i : 'I_m) : (nth 0%N g i < m)%N.
  by apply: (allP g_lt); rewrite mem_nth ?size_g.
pose f i := Ordinal (g_lt' i).
have f_inj : injective f.
  move=> i j /(congr1 val) /= /eqP.
  by rewrite nth_uniq ?size_g // => /eqP/val_inj.
pose p := perm f_inj.
have pull_tok x : p @: tok m (pull g x) = tok m x.
  apply/setP => i; rewrite -[i in LHS](permKV p) (mem_imset _ _ (@perm_inj _ p)) !inE.
  rewrite /pull (nth_map 0%N) ?size_g //; congr nth.
  by rewrite -[in RHS](permKV p i) [in RHS]permE.
have r_lt (i : 'I_N) : (nth 0%N (query_move g) i < N)%N.
  rewrite (nth_map [::]) // index_mem; apply: (allP closed); exact: mem_nth.
pose r i := Ordinal (r_lt i).
have qr i : p @: q (r i) = q i.
  rewrite /q /= (nth_map [::]) // nth_index ?pull_tok //.
  by apply: (allP closed); apply: mem_nth.
have := sep (permuted p K) (conj (fun _ _ => K_ge0 _ _) (solves_permuted p solK)).
case/(separated_permuted qr) => v v_gt0; exists v => i.
by rewrite (nth_map 0%N) ?size_map //; exact: v_gt0.
Qed.

Lemma good_covered s : tget false covered s -> good s.
Proof.
have /and5P[set_ok _ pats syms _] := ok.
apply: closure_good => {s} [s /good_canon //|s r /mapP[g /(allP syms) g_ok ->]|s|s].
- exact: good_moved.
- case/(nthP [::]) => k; rewrite size_map => k_lt <-.
  rewrite (nth_map (PatternCert [::] [::] [::])) //; set p := nth _ _ k.
  have p_ok : pattern_ok p by apply: all_nthP k_lt.
  split=> [|K [K_ge0 solK]]; first by have /and4P[/eqP] := p_ok.
  exact: (pattern_separated set_ok n_eq K_ge0 solK p_ok).
by case: s.
Qed.

Lemma check_independence_rank K D : solving K -> has_features D K -> (N <= D)%N.
Proof.
move=> solK featK; apply: (sign_independence (q := q) featK) => s.
pose sl := [seq s i | i <- enum 'I_N].
have nth_sl (i : 'I_N) : nth false sl i = s i.
  by rewrite (nth_map i) ?size_enum_ord // nth_ord_enum.
have /and5P[_ _ _ _ /allP/(_ sl)] := ok; rewrite all_bitsP size_map size_enum_ord eqxx.
move=> /(_ isT)/good_covered/good_canon[_ /(_ K solK)[v v_gt0]]; exists v => i.
by rewrite -nth_sl.
Qed.

End Patterns.
End Check.

Theorem check_independence_sound c N : check_independence c -> ic_n c = Z.of_nat N ->
  lower_bound_uniform (ic_m c) N (ic_tn c) (ic_td c) (ic_self c) (Z.to_nat (ic_value c)).
Proof.
move=> ok n_eq R causal n' K D def_N K_ge0 solK featK; rewrite def_N in n_eq.
apply: leq_trans (check_independence_rank n_eq ok (conj K_ge0 solK) featK).
have /and5P[_ le_value _ _ _] := ok; lia.
Qed.
