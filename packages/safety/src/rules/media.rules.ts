import { table } from './table.js';

/** Tools for images, sound, texts and names that overwrite their input files. */
export const MEDIA = table`
rule    files.rewritten  medium  rewrites or renames files in place
why     the old content or the old names are gone

program vimv massren edir   unless -h|--help   loses ...   stops vimv ; edir a   passes vimv --help
program advmv   unless -n|--no-clobber   loses * *   stops advmv a b   passes advmv -n a b
program exiftran   loses -i|-ai   stops exiftran -ai a.jpg   passes exiftran -d a.jpg
program exiv2   loses rm|delete|rename|mv|adjust|modify|mo|fixiso|fixcom|insert|in|ad|fi|fc, -M, -d=a|e|t|c|i|x|I|C   stops exiv2 rm a.jpg ; exiv2 mv a.jpg   passes exiv2 pr a.jpg ; exiv2 a.jpg
program fastmod   loses *   stops fastmod a b   passes fastmod --help
program flac   loses --delete-input-file|-f|--force   stops flac --delete-input-file a.wav   passes flac a.wav ; flac -t a.flac
program gifsicle   loses -b|--batch   stops gifsicle -b a.gif   passes gifsicle -I a.gif
program mac2unix unix2mac fromdos todos   loses !-n|--newfile|-i|--info *   stops mac2unix a.txt   passes mac2unix -n a.txt b.txt
program kid3-cli   loses -c=*set*|*remove*|*save*|*from*|*copy*|*paste*|*rename*|*to24*|*to23*|*numbertracks*   stops kid3-cli -c 'remove 2' a.mp3   passes kid3-cli -c get a.mp3
program mp4tags tiffset id3tag aacgain   loses -*, * *   stops mp4tags -r a b.mp4   passes mp4tags --help
program pngcrush   loses -ow   stops pngcrush -ow a.png   passes pngcrush a.png b.png
program repren   unless -n|--dry-run   loses --from*|-p|--patterns*|--to*   stops repren --from a --to b x   passes repren -n --from a --to b x
program rnr   loses -f|--force   stops rnr -f a b c   passes rnr a b c ; rnr regex a b c
program f2   loses -x|--exec|-u|--undo   stops f2 -f a -r b -x   passes f2 -f a -r b
program rnm brename nomino imv icp pyrenamer
  unless  -n|--dry-run|-d|--test
  loses   -*, *
  stops   rnm -ss a -rs b ; brename -p a -r b
  passes  brename -d -p a -r b
program vorbiscomment   loses -w|-a   stops vorbiscomment -w a.ogg   passes vorbiscomment -l a.ogg
program zopflipng   loses -y   stops zopflipng -y a b   passes zopflipng a b
`;
