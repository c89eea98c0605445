import type { Finding } from '../../../src/api/stories.ts'
import { type HiddenCharacter, shownParts } from '../../../src/domain/hidden-characters.ts'
import { plural } from '../../figures-text.ts'
import { href } from '../../router.ts'
import type { DiffFile } from './diff-files.ts'

/** The most kinds of characters that are named. */
const most = 4

const known = new WeakMap<DiffFile, readonly HiddenCharacter[]>()

/**
 * Hidden characters that the change adds to content and names. A file may begin with a byte order
 * mark.
 */
function hiddenIn(file: DiffFile): readonly HiddenCharacter[] {
  const before = known.get(file)
  if (before) return before
  const added = file.hunks.flatMap(({ changes }) => changes).filter(({ type }) => type === 'insert')
  const lines = added.map((change) =>
    change.type === 'insert' && change.lineNumber === 1 ? change.content.replace(/^\ufeff/, '') : change.content,
  )
  const found = [file.path, file.from ?? '', ...lines].flatMap((text) =>
    shownParts(text).filter((part) => typeof part !== 'string'),
  )
  known.set(file, found)
  return found
}

/** The findings of a change, and the page that lists them. */
export interface FindingLink {
  readonly run: string
  readonly story: string
  readonly findings: readonly Finding[]
}

interface Props {
  readonly file: DiffFile
  /** Links to the finding about hidden characters; null if none is known. */
  readonly found: FindingLink | null
}

const words = /\bU\+[0-9A-F]{4,6}\b|\b(?:bidirectional|hidden|invisible) character/i

/** Warns that a file may read differently from its content; empty for any other file. */
export function HiddenNotice({ file, found }: Props) {
  const hidden = hiddenIn(file)
  if (hidden.length === 0) return null
  const kinds = [...new Map(hidden.map((one) => [one.code, one])).values()]
  const named = kinds.slice(0, most).map(({ code, name }) => `${code} ${name}`)
  const more = kinds.length - named.length
  const finding = found?.findings.find(
    ({ by, file: path, claim }) => by === 'gate' && path === file.path && words.test(claim),
  )
  return (
    <p className="diff-hidden" role="note">
      <strong>{plural(hidden.length, 'hidden character')}</strong> in what this change adds: {named.join(', ')}
      {more > 0 && ` and ${plural(more, 'more kind')}`}. Without the marks ⟨…⟩ it would read as something else.{' '}
      {found !== null && finding !== undefined && (
        <a href={href('runs', found.run, 'stories', found.story, 'reviews', finding.id)}>
          See the finding {finding.id}
        </a>
      )}
    </p>
  )
}
