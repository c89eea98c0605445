import { useReport } from '../data/queries.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Empty } from '../parts/notice.tsx'
import { RunHead } from '../parts/run-head.tsx'

export function ReportPage({ run }: { readonly run: string }) {
  return (
    <div className="page narrow">
      <RunHead run={run} title="Report" />
      <Loaded query={useReport(run)} what="the report">
        {({ markdown }) =>
          markdown.trim() === '' ? (
            <Empty icon="report" title="There is nothing to report yet" />
          ) : (
            <article className="card card-body report">
              <Markdown text={markdown} level={2} />
            </article>
          )
        }
      </Loaded>
    </div>
  )
}
