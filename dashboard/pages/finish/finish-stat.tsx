import type { Finish } from '../../../src/api/finish.ts'
import { formatCount } from '../../../src/domain/figures-text.ts'
import { plural } from '../../figures-text.ts'
import { href, hrefWith } from '../../router.ts'

type Stat = NonNullable<Finish['stat']>

/** The size of the change, and the share of tests in it. */
export function FinishStat({ run, stat }: { readonly run: string; readonly stat: Stat }) {
  const { files, added, removed, test_files: tests, tests_added: more } = stat
  const left = stat.count - files.length
  return (
    <div className="finish-fact">
      <h3>Change</h3>
      <p className="finish-figure">
        {plural(stat.count, 'file')} <Lines added={added} removed={removed} />
      </p>
      <p className="sub">
        {tests === 0 ? 'No test files among them.' : `${plural(tests, 'of them is a test', 'of them are tests')}. `}
        {moreText(more)}
      </p>
      <p>
        <a href={href('runs', run, 'diff')}>See the changes</a>
      </p>
      <details>
        <summary>Files</summary>
        <ul className="finish-files">
          {files.map((file) => (
            <li key={file.path}>
              <a href={hrefWith({ file: file.path }, 'runs', run, 'diff')} title="See it in the diff">
                <code>{file.path}</code>
              </a>
              <span className="sub">{file.status === 'modified' ? '' : file.status}</span>
              {file.added === null || file.removed === null ? (
                <span className="sub">binary</span>
              ) : (
                <Lines added={file.added} removed={file.removed} />
              )}
            </li>
          ))}
          {left > 0 && <li className="sub">and {plural(left, 'more file')}</li>}
        </ul>
      </details>
    </div>
  )
}

function moreText(more: number | null): string {
  if (more === null || more === 0) return ''
  return more > 0 ? `${plural(more, 'test')} added.` : `${plural(-more, 'test')} fewer than before.`
}

function Lines({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span className="finish-lines">
      <span className="visually-hidden">
        {plural(added, 'line')} added, {plural(removed, 'line')} removed
      </span>
      <span className="added" aria-hidden="true">
        +{formatCount(added)}
      </span>
      <span className="removed" aria-hidden="true">
        −{formatCount(removed)}
      </span>
    </span>
  )
}
