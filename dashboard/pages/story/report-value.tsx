import { InlineCode } from '../../parts/inline-code.tsx'

/** JSON for people: names, lists and small tables; empty values are left out. */
export function ReportValue({ value }: { readonly value: unknown }) {
  if (isEmpty(value)) return <span className="sub">none</span>
  if (Array.isArray(value)) return value.every(isObject) ? <Objects items={value} /> : <List items={value} />
  if (isObject(value)) return <Fields of={value} />
  return <InlineCode text={String(value)} />
}

type Fields = Readonly<Record<string, unknown>>

/** The most columns of a table; objects with more fields are shown one below the other. */
const mostColumns = 4

function Objects({ items }: { readonly items: readonly Fields[] }) {
  const names = [...new Set(items.flatMap((item) => Object.keys(item).filter((name) => !isEmpty(item[name]))))]
  const isFlat = items.every((item) => !Object.values(item).some(isObject))
  if (names.length > mostColumns || !isFlat) {
    return (
      <ul className="report-items">
        {items.map((item) => (
          <li key={JSON.stringify(item)}>
            <Fields of={item} />
          </li>
        ))}
      </ul>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="table-wrap" tabIndex={0} aria-label={names.map(words).join(', ')}>
      <table className="table compact">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name}>{words(name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={JSON.stringify(item)}>
              {names.map((name) => (
                <td key={name}>
                  <ReportValue value={item[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Fields({ of }: { readonly of: Fields }) {
  return (
    <dl className="report-fields">
      {Object.entries(of)
        .filter(([name, each]) => name !== 'schema_version' && !isEmpty(each))
        .map(([name, each]) => (
          <div key={name}>
            <dt>{words(name)}</dt>
            <dd>
              <ReportValue value={each} />
            </dd>
          </div>
        ))}
    </dl>
  )
}

function List({ items }: { readonly items: readonly unknown[] }) {
  const [only] = items
  if (items.length === 1) return <ReportValue value={only} />
  return (
    <ul className="bullets">
      {items.map((item) => (
        <li key={JSON.stringify(item)}>
          <ReportValue value={item} />
        </li>
      ))}
    </ul>
  )
}

/** Paths can be names too (in a dependency graph), and stay unchanged. */
function words(name: string): string {
  return /[./]/.test(name) ? name : name.replaceAll('_', ' ')
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}
