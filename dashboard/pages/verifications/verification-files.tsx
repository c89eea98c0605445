import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiPath, problemOf } from '../../data/client.ts'
import { downloadFrom } from '../../data/download.ts'
import { may } from '../../data/may.ts'
import { useFiles } from '../../data/queries.ts'
import { bytes } from '../../figures-text.ts'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'

/**
 * The files that a verification has left. They can be downloaded but are not displayed, since the
 * change has produced them.
 */
export function VerificationFiles({ runId }: { readonly runId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Files</summary>
      {isOpen && <List runId={runId} />}
    </details>
  )
}

function List({ runId }: { readonly runId: string }) {
  return (
    <Loaded query={useFiles(runId)} what="the files">
      {({ files }) => (
        <>
          {!may('operator') && <p className="sub">To download them you need the role operator.</p>}
          <ul className="file-list">
            {files.map(({ path, bytes: size }) => (
              <li key={path} className="row">
                <code>{path}</code>
                <span className="sub">{bytes(size)}</span>
                {may('operator') && <DownloadFile runId={runId} path={path} />}
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  )
}

function DownloadFile({ runId, path }: { readonly runId: string; readonly path: string }) {
  const loading = useMutation({
    mutationFn: () => downloadFrom(`${apiPath('verifications', runId, 'file')}?${new URLSearchParams({ path })}`),
  })
  return (
    <>
      <button
        type="button"
        className="button quiet"
        aria-label={`Download ${path}`}
        disabled={loading.isPending}
        onClick={() => loading.mutate()}
      >
        <Icon name="download" />
      </button>
      {loading.isError && (
        <span className="filter-problem" role="alert">
          {problemOf(loading.error).message}
        </span>
      )}
    </>
  )
}
