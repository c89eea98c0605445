import '../../styles/diff.css'
import type { Comparison } from '../../../src/api/comparison.ts'
import { plural } from '../../figures-text.ts'
import { ScrollBox } from '../../parts/scroll-box.tsx'

interface Props {
  readonly comparison: Comparison
}

/** The settings that differ between the two Runs. */
export function SettingsCompared({ comparison: { settings } }: Props) {
  return (
    <section className="stack tight" aria-label="Differences of models and settings">
      <h2>Told differently</h2>
      {settings.length === 0 ? (
        <p className="sub">Models, budgets, limits and steps were the same.</p>
      ) : (
        <ScrollBox label="What was told differently">
          <table className="table compare-table">
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">First run</th>
                <th scope="col">Second run</th>
              </tr>
            </thead>
            <tbody>
              {settings.map(({ name, a, b }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{a === null ? <span className="sub">not set</span> : <code>{a}</code>}</td>
                  <td>{b === null ? <span className="sub">not set</span> : <code>{b}</code>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  )
}

/** The number of lines that each Run has changed in each file. */
export function FilesCompared({ comparison: { files } }: Props) {
  const left = files.count - files.list.length
  return (
    <section className="stack tight" aria-label="Changed files side by side">
      <h2>Changed files</h2>
      {files.list.length === 0 ? (
        <p className="sub">Neither run has changed a file.</p>
      ) : (
        <ScrollBox label="Changed files of both">
          <table className="table compare-table">
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col">First run</th>
                <th scope="col">Second run</th>
              </tr>
            </thead>
            <tbody>
              {files.list.map(({ path, a, b }) => (
                <tr key={path}>
                  <th scope="row">
                    <code>{path}</code>
                  </th>
                  <td>
                    <Lines of={a} />
                  </td>
                  <td>
                    <Lines of={b} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {left > 0 && <p className="sub">and {plural(left, 'more file')}</p>}
    </section>
  )
}

function Lines({ of }: { readonly of: Comparison['files']['list'][number]['a'] }) {
  if (of === null) return <span className="sub">not changed</span>
  return (
    <span className="diff-counts">
      <span className="added">+{of.added}</span> <span className="removed">−{of.removed}</span>
      <span className="visually-hidden">
        {plural(of.added, 'line')} added, {plural(of.removed, 'line')} removed
      </span>
    </span>
  )
}
