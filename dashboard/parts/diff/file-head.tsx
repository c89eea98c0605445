import { plural } from '../../figures-text.ts'
import { Icon } from '../icon.tsx'
import type { DiffFile } from './diff-files.ts'
import { type FindingLink, HiddenNotice } from './hidden-notice.tsx'

const kinds = { add: 'new', delete: 'deleted', modify: '', rename: 'renamed', copy: 'copied' } as const

interface Props {
  readonly file: DiffFile
  readonly isOpen: boolean
  readonly isViewed: boolean
  readonly toggle: () => void
  /** Marks the file as viewed; null if that is not stored. */
  readonly view: (() => void) | null
  /** Begins a comment on the whole file; null if comments are impossible. */
  readonly say: (() => void) | null
  /** Opens the file in the person's editor. */
  readonly link: string | null
  readonly found?: FindingLink | null
}

export function FileHead({ file, isOpen, isViewed, toggle, view, say, link, found = null }: Props) {
  const { path, from, type, added, removed, repository } = file
  return (
    <>
      <div className="diff-file">
        <button type="button" className="diff-name" aria-expanded={isOpen} onClick={toggle} data-item>
          <Icon name={isOpen ? 'down' : 'right'} />
          {repository !== null && <span className="sub">{repository}</span>}
          <code>{from === null ? path : `${from} → ${path}`}</code>
          {kinds[type] && <span className="sub">{kinds[type]}</span>}
        </button>
        {added + removed > 0 && (
          <span className="diff-counts">
            <span className="added">+{added}</span> <span className="removed">−{removed}</span>
            <span className="visually-hidden">
              {plural(added, 'line')} added, {plural(removed, 'line')} removed
            </span>
          </span>
        )}
        <span className="diff-actions">
          {link !== null && (
            <a className="diff-action" href={link} title="Open in your editor">
              Open<span className="visually-hidden"> {path} in your editor</span>
            </a>
          )}
          {say !== null && (
            <button type="button" className="diff-action" onClick={say}>
              Comment<span className="visually-hidden"> on {path}</span>
            </button>
          )}
          {view !== null && (
            <label className="diff-action diff-viewed">
              <input type="checkbox" aria-label={`Viewed: ${path}`} checked={isViewed} onChange={view} />
              Viewed
            </label>
          )}
        </span>
      </div>
      <HiddenNotice file={file} found={found} />
    </>
  )
}
