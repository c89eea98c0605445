import { fewNames } from '../../domain/name-list.ts'
import { placeText } from '../../domain/remark/remark-findings.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Hold } from '../views/finish/holds.ts'
import type { RemarkNow } from '../views/remarks.ts'

type Finding = Extract<Hold, { kind: 'finding' }>

/**
 * Names the holders, as "2 findings of the gate and 1 comment of Ada". The reader's own comments
 * are "of yours". Needs at least one hold.
 */
export function whoHolds(holds: readonly Hold[], you: string | null = null): string {
  const { findings, comments, workers } = sorted(holds)
  const authors = fewNames([...new Set(comments.map(({ author }) => (author === you ? 'yours' : author)))])
  const whom = [
    ...(findings.length === 0 ? [] : [`${count(findings.length, 'finding')} of the gate`]),
    ...(comments.length === 0 ? [] : [`${count(comments.length, 'comment')} of ${listed(authors)}${workOn(comments)}`]),
    // A comment that holds already mentions its follow-up.
    ...(workers.length === 0 || comments.length > 0 ? [] : ['a follow-up at work']),
  ]
  return listed(whom)
}

/** Counts the holders without their names, as "2 findings and 1 comment". */
export function holdersIn(holds: readonly Hold[]): string {
  const { findings, comments, workers } = sorted(holds)
  return listed([
    ...(findings.length === 0 ? [] : [count(findings.length, 'finding')]),
    ...(comments.length === 0 ? [] : [count(comments.length, 'comment')]),
    ...(workers.length === 0 || comments.length > 0 ? [] : ['a follow-up']),
  ])
}

/** The reason why a hold exists, without the holder's name. */
export function whyItHolds(hold: Hold): string {
  if (hold.kind === 'finding') return 'Nobody has accepted it.'
  if (hold.kind === 'follow_up') return `It will add to the branch, and is ${hold.run.state}.`
  const { id, state, followUp } = hold.remark
  if (id === null) return 'Nobody has taken it in yet.'
  if (state === 'ANSWERED') return 'It was answered without a change, and nobody has accepted that.'
  if (state === 'STUCK') return 'The work on it ended without a change.'
  return followUp === null ? 'It waits for a follow-up.' : `The follow-up ${followUp.run} is ${followUp.state}.`
}

/**
 * The command line by which a person accepts the work and so releases a hold; null if there is
 * none.
 */
export function releaseOf(hold: Hold): string | null {
  if (hold.kind === 'finding') return `drydock accept ${holderOf(hold)} ${hold.finding.id}`
  if (hold.kind === 'follow_up') return `drydock cancel ${hold.run.id}`
  const { run, id } = hold.remark
  return id === null ? null : `drydock accept ${run} ${id}`
}

/**
 * The error text of a refused landing: the holders, the reasons, and the ways out. Needs at least
 * one hold.
 */
export function heldText(run: Pick<Run, 'id'>, holds: readonly Hold[]): { message: string; todo: string } {
  const { findings, comments, workers } = sorted(holds)
  const said = comments.map((comment) => `${nameOf(comment)}: ${whyItHolds({ kind: 'comment', remark: comment })}`)
  const ids = comments.flatMap(({ id }) => id ?? [])
  const message = [
    ...byRun(findings).map(([id, own]) => `Nobody has accepted these findings of the gate in ${id}: ${own.join(', ')}`),
    ...(comments.length === 0
      ? []
      : [`${run.id} is held by ${whoHolds(holds.filter(({ kind }) => kind === 'comment'))}.`, ...fewNames(said)]),
    ...workers.map((worker) => `The follow-up ${worker.id} will add to the branch, and is ${worker.state}.`),
  ].join('\n')
  const todo = [
    ...byRun(findings).map(
      ([id, own]) => `Look at them: drydock report ${id}. Then accept them: drydock accept ${id} ${own.join(' ')}`,
    ),
    ...(comments.length === 0 ? [] : [`See the comments: drydock review ${run.id}`]),
    ...(comments.some(({ id }) => id === null) ? ['Take in what waits: drydock resume'] : []),
    ...(ids.length === 0 ? [] : [`Take the result as it is: drydock accept ${run.id} ${ids.join(' ')}`]),
    ...workers.map(({ id }) => `Wait for it: drydock watch ${id}, or end it: drydock cancel ${id}`),
    'Or land it anyway, with a reason that its receipt keeps: --anyway "REASON"',
  ].join('\n')
  return { message, todo }
}

function sorted(holds: readonly Hold[]) {
  return {
    findings: holds.filter((hold) => hold.kind === 'finding'),
    comments: holds.flatMap((hold) => (hold.kind === 'comment' ? [hold.remark] : [])),
    workers: holds.flatMap((hold) => (hold.kind === 'follow_up' ? [hold.run] : [])),
  }
}

/** The states of these comments' follow-ups; empty if none has begun. */
function workOn(comments: readonly RemarkNow[]): string {
  const states = comments.flatMap(({ followUp }) => followUp?.state ?? [])
  if (states.some((state) => !isEnded(state))) return ' (a follow-up works on it)'
  const [bad] = states.filter((state) => state !== 'DONE' && state !== 'NO_CHANGE')
  return bad === undefined ? '' : ` (the follow-up ended ${bad})`
}

function nameOf(comment: RemarkNow): string {
  const place = placeText(comment)
  return [comment.id ?? 'a comment', `of ${comment.author}`, ...(place === '' ? [] : [`on ${place}`])].join(' ')
}

function byRun(findings: readonly Finding[]): readonly (readonly [string, readonly string[]])[] {
  const ids = Map.groupBy(findings, holderOf)
  return [...ids].map(([id, own]) => [id, own.map(({ finding }) => finding.id)])
}

function holderOf({ run }: Finding): string {
  return run.id
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
