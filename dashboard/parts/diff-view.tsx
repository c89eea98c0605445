import { useMemo } from 'react'
import { Diff, type FileData, Hunk, parseDiff } from 'react-diff-view'
import { refractor } from 'refractor'
import 'react-diff-view/style/index.css'
import '../styles/diff.css'
import { plural } from '../figures-text.ts'
import { tokensOf } from './diff-tokens.ts'

/** Changed lines above which a file is closed at first. */
const openLines = 400

/**
 * A unified diff, file by file, with the colours of its language. All of it is text, whatever it
 * says.
 */
export function DiffView({ diff }: { readonly diff: string }) {
  const files = useMemo(() => parsed(diff), [diff])
  if (files === null) return <pre className="pre">{diff}</pre>
  return (
    <div className="diff-files">
      {files.map((file) => (
        <File key={`${file.oldPath} ${file.newPath}`} file={file} />
      ))}
    </div>
  )
}

const kinds = { add: 'new', delete: 'deleted', modify: '', rename: 'renamed', copy: 'copied' } as const

function File({ file }: { readonly file: FileData }) {
  const tokens = useMemo(() => tokensOf(file, refractor), [file])
  const changes = file.hunks.flatMap(({ changes }) => changes)
  const added = changes.filter(({ type }) => type === 'insert').length
  const removed = changes.filter(({ type }) => type === 'delete').length
  const path = file.type === 'delete' ? file.oldPath : file.newPath
  return (
    <details className="card diff-file" open={added + removed <= openLines}>
      <summary data-item>
        <code>{file.type === 'rename' ? `${file.oldPath} → ${file.newPath}` : path}</code>
        {kinds[file.type] && <span className="sub">{kinds[file.type]}</span>}
        <span className="spread diff-counts">
          <span className="added">+{added}</span> <span className="removed">−{removed}</span>
          <span className="visually-hidden">
            {plural(added, 'line')} added, {plural(removed, 'line')} removed
          </span>
        </span>
      </summary>
      {file.hunks.length === 0 ? (
        <p className="sub diff-none">{file.isBinary ? 'A binary file.' : 'Only its name or its mode changed.'}</p>
      ) : (
        <div className="diff-scroll">
          <Diff viewType="unified" diffType={file.type} hunks={file.hunks} tokens={tokens}>
            {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
          </Diff>
        </div>
      )}
    </details>
  )
}

/** null for a text that is no diff as git writes it: then it is shown as it is. */
function parsed(diff: string): readonly FileData[] | null {
  try {
    const files = parseDiff(diff, { nearbySequences: 'zip' })
    return files.length === 0 ? null : files
  } catch {
    return null
  }
}
