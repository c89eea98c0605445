/** JSON as people read it: names and lists, and nothing for what is empty. */
export function ReportValue({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined || value === '') return <span className="sub">–</span>
  if (Array.isArray(value)) {
    if (value.length === 0) return <span className="sub">none</span>
    return (
      <ul className="bullets">
        {value.map((item) => (
          <li key={JSON.stringify(item)}>
            <ReportValue value={item} />
          </li>
        ))}
      </ul>
    )
  }
  if (typeof value === 'object') {
    return (
      <dl className="report-fields">
        {Object.entries(value)
          .filter(([name, each]) => name !== 'schema_version' && !isEmpty(each))
          .map(([name, each]) => (
            <div key={name}>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd>
                <ReportValue value={each} />
              </dd>
            </div>
          ))}
      </dl>
    )
  }
  return <>{String(value)}</>
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
