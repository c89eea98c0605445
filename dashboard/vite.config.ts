import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const runtime = join(import.meta.dirname, 'shown/jsx-runtime.ts')

/** JSX is compiled to the runtime that marks hidden characters. A `createElement` call is not. */
const shown: Plugin = {
  name: 'shown',
  enforce: 'pre',
  resolveId(source, importer) {
    const isWanted = /^react\/jsx(?:-dev)?-runtime$/.test(source) && importer !== runtime
    return isWanted ? runtime : null
  },
}

/**
 * The app is served under a policy that forbids inline scripts and styles, so nothing may be
 * inlined.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [shown, react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
