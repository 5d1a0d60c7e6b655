"""Ordinary words that often open a sentence, a list item or a table cell."""

from __future__ import annotations

COMMON_WORDS = frozenset(
    """
about absolutely accept access according account across act action activate active actual add
additional address adjust admin advance advice after afterwards again age agree ahead air alert
all allow almost alone along already also alternative although always amount and animal annual
another answer any anybody anyone anything anyway apart apologies appear apple applicant
application apply approach approval approve approximately april area around article as ask assistant
assign assume at attach attempt attention author auto automatic available average avoid away
baby back backup bad balance bank base basic be because become bed before begin behind being
believe below beneath benefit beside best better between beyond big bill birth bit block blue
board body book border both bottom bowl box brand bread break brief bring browser budget build
building bus business but button buy by cable calculate calendar call camera can cancel
candidate car card care careful carry case cash cat catch cause cell center central centre
certain certificate chain chair challenge chance change channel chapter charge chat cheap check
child choice choose city claim class clean cleaner clear click client clinic close cloud code
coffee cold collect color colour combine come comment common company compare complete computer
concern condition confirm congrats connect consent consider consult consumer contact content
continue contract control cook cookie cool copy correct cost could council country coupon course
court cover create credit criteria current customer cut daily damage danger dark dashboard data
database date day deadline deal debug decide default definitely degree delay delete deliver
delivery demand department depend deploy deposit depth describe deselect design desk detail
developer device diet different digital dinner direct director discount disk dismiss display
distance divide do doctor document dog dollar domain done door double doubt down download draft
drag drain draw drive driver drop dry due during duty each early earn earth easy eat economy
edit education effect effective eight either electric eleven eligible else email emergency
employee employer empty enable end energy engine engineer enjoy enough enquiry enrol enroll
ensure enter entire entry environment equal error especially establish estimate even evening
event eventually ever every everybody everyone everything exact example excellent except excess
exchange exit expect expense experience expert expiry explain export express extend extension
external extra eye face fact fail failure fair family far fast father fault feature fee feel few
fewer field fifteen fifth fifty file fill filter final finally find fine finish fire firmware
first fish fit five fix flight floor flour flow folder follow food foot for form formal former
forty forward four fourteen fourth free freight frequent fresh friend from front fruit fuel full
function fund further future game garden gas gate gather general gentle get gift girl give glad
glass go goal gold good graduate grant great green ground group grow guard guess guest guide
guideline half hall hand handle happen happy hard hardware have he head health hear heart heat
heavy height hello help her here hi high hire his history hold holiday home honest hope hospital
host hot hotel hour house how however human hundred hungry ice idea identify idle if ignore
image imagine immediate import important improve in incident include incoming increase
incremental indeed individual industry info inform initial inner inquiry insert inside instance
instead insurance interest interior internal internet interview into introduce invite invoice is
island issue it item its job join judge july june junior just keen keep key kid kind king
kitchen know lab label lady land laptop large last late later latest launch law lawyer lead
leader learn lease least leave left legal lender length less let letter level library licence
license lid life lift light like likely limit line link list listen little live load loan local
location lock log login logo long look lose lot low lower luckily lunch machine mail main
maintain major make male man manager mandatory manual many map march mark market master match
material matter max maximum may maybe me meal mean meanwhile measure medical meet member memory
men mention menu merge message metal meter method middle might mile milk mind minimum minor
minute mirror miss mobile mode model modern moment money monitor month more moreover morning
mortgage most mother motor mount mouse move movie much multi multiple music must my name narrow
nation natural near nearly necessary need neither net network never nevertheless new next nice
night nine nineteen ninety no nobody node none noon nor normal north not note nothing notice
notify now nowhere number nurse object obtain occur october odd of off offer office officer oil
old on once one online only open operator opposite option or orange order ordinary organic
original other otherwise our out outer output outside over overall overtime owner pack package
packet page pain paint pair panel paper parcel parent park parking part particular partner party
pass passenger passport password past patch patient pause pay payroll penalty people per perfect
perform perhaps period permanent permission permit person personal phone photo pick picture
piece pin place plan plane plant plastic play please plenty plug plus point policy poor popular
port portal position possible post postage pour power practical practice prefer preheat premium
prepare present press previous price print prior priority private pro probable problem process
produce product professional profile profit program programme progress project promo proper
property protect provide provider public pull purchase pure push put quality quarter question
queue quick quiet quite quota quote radio rail rain raise range rapid rate rather raw reach read
ready real really reason receipt receive recent recipe recipient recommend record recover red
redeem reduce refer refresh refund regarding region register registration regret regular reject
relevant reload remain remember remind reminder remote remove renew renewal rent repair repeat
replace reply report request require research reserve reset resident resolve rest restart
restore result resume retail retry return reverse review reward ride right ring rinse rise river
road role roll room rotate round route row rule run safe sale same sample save say schedule
schema school science scope score screen scroll sea seal search season seat second secret
section secure security see seek seldom select self sell send senior sensor separate september
serial series serve server service session set settle seven seventy several severe shall shape
share she ship shipping shop short should show shut sick side sign silver similar simple simply
since single sir sit site six sixty size skill skip sleep slow small smart smoke snow so social
soft software soil sold solid some somebody someone something sometimes somewhere son soon sorry
sort sound source south space spare speak special specific speed spend split sport spring square
staff stage stand standard star start state statement station status stay step stick still stir
stock stone stop storage store storm story straight strange stream street strict strike string
strong student studio study stuff style subject submit subscribe subscriber subscription such
sugar suitable sum summary summer sun supervisor supplier supply support suppose sure surface
surname swap switch system tab table tablet tag tail take talk tank tap target task tax tea
teach teacher team tell temperature ten tenant term terminal test text than thank thanks that
the theatre their them then there therefore these they thick thin thing think third thirteen
thirty this those though thousand three through throughout thus ticket tie tight till time tip
title to today together toggle token tomorrow tonight too tool top total touch tour toward
towards tower town track trade traffic train training transfer transit travel treat tree trial
trip trouble truck true trust try tube turn twelve twenty twice two type typical uncle under
undo unfortunately uniform union unique unit unless unlike unlock until up update upgrade upload
upon upper urgent us use user usual valid validity valuable value van various vehicle vendor
verify version very via video view visa visit visitor visual voice voltage volume vote voucher
wage wait walk wall want warm warning warranty wash waste watch water way we wear weather web
website week weekend weekly weight welcome well west what whatever wheel when whenever where
whereas wherever whether which whichever while white who whoever whole whom whose why wide wife
wifi will win wind window winter wipe wire wireless wise with withdraw within without woman
wonder wood word work worker workflow workspace world worry would wow write wrong yard year
yellow yes yesterday yet you young your yours zero zone
""".split()
)
