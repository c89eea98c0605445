import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { routes } from '../src/api/routes.ts'

const runtime = join(import.meta.dirname, 'shown/jsx-runtime.ts')

/**
 * JSX is compiled to the runtime that marks hidden characters; direct calls of `createElement` are
 * not.
 */
const shown: Plugin = {
  name: 'shown',
  enforce: 'pre',
  resolveId(source, importer) {
    const isWanted = /^react\/jsx(?:-dev)?-runtime$/.test(source) && importer !== runtime
    return isWanted ? runtime : null
  },
}

/** The browser gets only the paths of the table of routes, without the schemas. */
const operations: Plugin = {
  name: 'operations',
  resolveId: (source) => (source === 'virtual:operations' ? '\0operations' : null),
  load: (id) =>
    id === '\0operations'
      ? `export const paths = ${JSON.stringify(Object.fromEntries(Object.entries(routes).flatMap(([name, { method, path }]) => (method === 'post' ? [[name, path]] : []))))}`
      : null,
}

/** The app's policy forbids inline scripts and styles, so nothing may be inlined. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [shown, operations, react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // All that every page needs is one file: each further one costs a request and its headers.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'initial', tags: ['$initial'] }] } } },
  },
})
