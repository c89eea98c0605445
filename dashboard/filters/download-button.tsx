import { useMutation } from '@tanstack/react-query'
import { problemOf } from '../data/client.ts'
import { type DownloadTarget, download } from '../data/download.ts'
import { Icon } from '../parts/icon.tsx'

/** Downloads the whole list, regardless of filters and scrolling. */
export function DownloadButton({ what, download: list }: { readonly what: string; readonly download: DownloadTarget }) {
  const loading = useMutation({ mutationFn: () => download(list) })
  return (
    <>
      <button
        type="button"
        className="button quiet"
        title={`All ${what}, also those that a filter hides`}
        disabled={loading.isPending}
        onClick={() => loading.mutate()}
      >
        <Icon name="download" />
        <span>Download as JSON</span>
      </button>
      {loading.isError && (
        <span className="filter-problem" role="alert">
          {problemOf(loading.error).message}
        </span>
      )}
    </>
  )
}
