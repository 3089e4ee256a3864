// One entry of the table in resources.c: the file that FILE names, with its path. The second array only tells the length.
{FILE,
 (const unsigned char[]){
#embed FILE
 },
 sizeof((const unsigned char[]){
#embed FILE
 })},
#undef FILE
