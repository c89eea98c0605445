import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { placeText } from '../../domain/remark/remark-findings.ts'
import { capText } from '../../domain/text.ts'
import type { Comment } from '../../ports/forge.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import { inertBlock, inertWords } from '../text/inert-markdown.ts'
import { type RemarkNow, readRemarks } from '../views/remarks.ts'
import { createOnce } from './create-once.ts'
import { type OpenChange, pushedFor } from './open-changes.ts'
import { placeOf, type Watching } from './watching.ts'

/** Answers each remark in its own thread, once for each fate, as soon as its commit is pushed. */
export async function answerRemarks(watching: Watching, open: OpenChange): Promise<void> {
  const { drydock, forge, calls } = watching
  const place = { type: 'change', number: open.number } as const
  const tip = (await pushedFor(watching, open.run)).at(-1) ?? null
  for (const remark of await reading(drydock, (records) => readRemarks(records, open.run))) {
    const { source } = remark
    const text = drydock.redact(answerTo(remark))
    if (source.kind !== 'forge' || source.forge !== forge.name || source.change !== open.number || text === '') continue
    if (remark.commit !== null && !(await has(drydock, tip, remark.commit))) continue
    await createOnce(forge, calls, {
      key: `reply/${placeOf(forge)}${open.number}/${source.comment}/${remark.state}`,
      run: open.run,
      call: 'reply',
      place,
      async send(mark) {
        try {
          await forge.reply(open.number, commentOf(remark, source.comment), `${text}\n\n${mark}`)
        } catch (error) {
          if (!isGone(error)) throw error
          await forge.comment(place, `${inertWords(aboutOf(remark))}: ${text}\n\n${mark}`)
        }
        return null
      },
    })
  }
}

/** True if somebody deleted the comment, or if its line is no longer in the diff. */
function isGone(error: unknown): boolean {
  return error instanceof DrydockError && ['forge_not_found', 'forge_rejected'].includes(error.code)
}

function aboutOf(remark: RemarkNow): string {
  return [`${remark.id}, a remark by ${remark.author}`, placeText(remark)].filter(Boolean).join(' on ')
}

/** True if people can find a commit at the forge. */
async function has({ history }: Pick<Installation, 'history'>, tip: string | null, commit: string): Promise<boolean> {
  return tip === commit || (tip !== null && (await history.isAncestor(commit, tip)))
}

function answerTo({ run, state, commit, reply, id }: RemarkNow): string {
  const said = reply === null ? '' : `\n\n${inertBlock(capText(reply, limits.forge.whatChars))}`
  switch (state) {
    case 'OPEN':
      return ''
    case 'SETTLED':
      return `Settled by ${commit}.${said}`
    case 'ANSWERED':
      return `Nothing was changed for this.${said}\n\nAnswer with \`drydock review\` and what should be different, or accept it: \`drydock accept ${run} ${id}\`.`
    case 'ACCEPTED':
      return 'A person has accepted the work as it is.'
    case 'STUCK':
      return `The work on this ended without a verified commit.${said}`
    case 'REFUSED':
      return `Nothing can be built for this.${said}`
    default:
      throw new Error(`unknown state ${state satisfies never}`)
  }
}

/** The fields of a comment that an answer needs. */
function commentOf({ author, text, place }: RemarkNow, id: string): Comment {
  const line = place === null ? null : { path: place.path, number: place.start, hunk: place.hunk }
  return { id, author, text, at: '', url: null, isAnswer: false, line }
}
