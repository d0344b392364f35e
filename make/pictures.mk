# pictures.mk - the input pictures.

$(B)/picture: $(B)/tools/picture.o

# Names in rules have a backslash before a blank.
IMAGES_TARGET := $(subst $(space),\ ,$(IMAGES))
OWN := $(if $(PHOTO),/own)
override IMAGES := $(IMAGES)$(OWN)
PHOTO_FILE := $(or $(PHOTO),$(IMAGES)/photo.bmp)
SKY_FILE := $(or $(PHOTO),$(IMAGES)/sky.bmp)

images: $(patsubst %,$(IMAGES_TARGET)$(OWN)/%.bmp,$(if $(PHOTO),,photo sky) image template) ### unpack the input pictures

# A picture is there whole or not at all. Why not, gzip tells; of its lines one is made.
UNPACKED := $(patsubst %,$(IMAGES_TARGET)/%.bmp,photo image sky)
$(UNPACKED): $(wildcard data/pictures/*.gz)
	@mkdir -p '$(IMAGES)'
	@new='$@.tmp-'$$$$; \
	if why=$$(gzip -dc data/pictures/$(lastword $(notdir $@)).gz 2>&1 >"$$new"); then mv "$$new" '$@'; \
	else rm -f "$$new"; echo $$why >&2; exit 1; fi

# A PHOTO's name may hold what make's names cannot: no prerequisite, made anew each time.
$(IMAGES_TARGET)/own/image.bmp: FORCE | $(B)/picture
	@mkdir -p '$(IMAGES)'
	@$(B)/picture --resample 1024x768 '$(PHOTO)' '$@'

$(IMAGES_TARGET)$(OWN)/template.bmp: $(IMAGES_TARGET)$(OWN)/image.bmp | $(B)/picture
	@$(B)/picture --crop 64x64+582+450 '$<' '$@'
